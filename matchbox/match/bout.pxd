cimport cython
from matchbox.dice cimport SeededDice

cpdef refusal(object game, object state, Py_ssize_t seat, object move)
cpdef bint is_chance(object game, object movers, Py_ssize_t seats) except -1

cdef class LiveBout:
    cdef public tuple order
    cdef public object number, banned, state, owing
    cdef public list notes, moves, faults, sent_views
    cdef public bint over
    cdef object _game, _make_move, _to_move, _view, _outcome, _before
    cdef SeededDice _dice
    cdef object _forced_faults
    cdef public dict answered
    cdef Py_ssize_t _seats, _steps, _max_steps

    cpdef next_view(self, Py_ssize_t seat)
    cpdef bint take(self, Py_ssize_t seat, object answer) except -1
    cpdef result(self)
    cdef _take_row(self, Py_ssize_t seat, object moves)
    cdef _take_together(self)
    cdef _apply(self, Py_ssize_t seat, object move)
    cdef _advance(self)
    cdef bint _apply_forced_fault(self) except -1
    cdef _fail(self, Py_ssize_t seat, object fault)
    cdef _settle(self, object outcome)
    cdef SeededDice _next_dice(self)
