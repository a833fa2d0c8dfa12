cimport cython
from matchbox.dice cimport SeededDice
from matchbox.match cimport frame_codec
from matchbox.match.bout cimport is_chance, refusal
from matchbox.match.frame_codec cimport Asking

@cython.final
@cython.auto_pickle(False)
cdef class _Bout:
    cdef object number, state, together
    cdef SeededDice dice
    cdef list seeds, answers
    cdef Py_ssize_t step
    cdef bint rows
    cdef dict answered

@cython.final
@cython.auto_pickle(False)
cdef class RulesBatch:
    cdef object _game, _options, _apply, _to_move, _view
    cdef Asking _asking
    cdef Py_ssize_t _seats, _max_steps
    cdef list _owing, _over

    cpdef start(self, object bout, SeededDice dice, list seeds)
    @cython.locals(bout=_Bout, asking=Asking)
    cpdef ask(self, Py_ssize_t seat)
    @cython.locals(
        bout=_Bout, bouts=list, back=list, owing=list, most=Py_ssize_t, mover=Py_ssize_t,
        one=bint, seats=Py_ssize_t
    )
    cpdef list take(self, Py_ssize_t seat, object answers)
    cpdef list over(self)
    @cython.locals(bout=_Bout)
    cpdef list leave(self)
    cdef _go_on(self, _Bout bout)
    cdef _next(self, _Bout bout)
    cdef bint _make_several(self, _Bout bout, Py_ssize_t seat, object answer) except -1
    cdef bint _make_row(self, _Bout bout, Py_ssize_t seat, object answer) except -1
    cdef bint _make_together(self, _Bout bout) except -1
    cdef bint _make(self, _Bout bout, Py_ssize_t seat, object move) except -1
