"""The types of bomb's table and moves, for the compiled build."""

cimport cython
from matchbox.games.bomb.codec cimport Sheet

cdef Py_ssize_t BOMB, BOTTOM, DEALT, DEFUSE, SEE, SEEN, SHUFFLE, SKIP

@cython.final
@cython.auto_pickle(False)
cdef class State:
    cdef public bytearray pile
    cdef public tuple sheets
    cdef public Py_ssize_t mover
    cdef public str asks, last
    cdef public object loser

cpdef State deal(object dice)
@cython.locals(mine=Sheet)
cpdef make(State state, object move, object dice)
@cython.locals(sheet=Sheet)
cdef Sheet _deal_sheet(bytearray pile)
@cython.locals(mine=Sheet, theirs=Sheet)
cdef _play(State state, Py_ssize_t card)
@cython.locals(mine=Sheet, theirs=Sheet)
cdef _take(State state, Py_ssize_t card)
cdef _put_back(State state, object move)
cdef _end_turn(State state)
