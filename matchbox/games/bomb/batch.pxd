cimport cython
from matchbox.dice cimport SeededDice

cdef Py_ssize_t AT_ASKS, AT_CARDS, AT_COUNTS, AT_OTHER, AT_PILE, AT_SEEN
cdef Py_ssize_t BOMB, BOTTOM, DEFUSE, SEE, SEEN, SHUFFLE, _OVER, _REFUSED

cdef class _Bout:
    cdef object number
    cdef SeededDice dice
    cdef list seeds, moves
    cdef bytearray pile, seen
    cdef tuple told

cdef class Batch:
    cdef object _deal
    cdef list _owing, _questions, _over

    @cython.locals(bout=_Bout, bouts=list, back=list, mover=Py_ssize_t)
    cpdef take(self, Py_ssize_t seat, object answers)
    @cython.locals(bout=_Bout)
    cpdef leave(self)
    @cython.locals(told=bytearray, seen=bytearray, head=bytearray, owing=list, questions=list)
    cdef _ask(self, _Bout bout, Py_ssize_t seat)

@cython.locals(mine=bytearray, card=Py_ssize_t)
cdef Py_ssize_t _move(_Bout bout, Py_ssize_t seat, object move) except -3
@cython.locals(mine=bytearray, theirs=bytearray)
cdef _play(_Bout bout, Py_ssize_t seat, Py_ssize_t card)
@cython.locals(mine=bytearray, theirs=bytearray)
cdef Py_ssize_t _take(_Bout bout, Py_ssize_t seat, Py_ssize_t card) except -3
@cython.locals(size=Py_ssize_t, mine=bytearray)
cdef Py_ssize_t _place(_Bout bout, Py_ssize_t seat, object move) except -3
