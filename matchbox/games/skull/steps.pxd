"""The types of what the moves of Skull do, for the compiled build."""

cimport cython
from matchbox.games.skull cimport challenge
from matchbox.games.skull.challenge cimport State

cdef Py_ssize_t PLACING, BETTING, CHOICE, LOSE, START, PASSED_BYTE

@cython.locals(hand=bytearray)
cpdef bint _place(State state, Py_ssize_t seat, Py_ssize_t kind, object dice) except -1
cpdef bint _bet(State state, Py_ssize_t seat, Py_ssize_t number, object dice) except -1
cpdef bint _pass(State state, Py_ssize_t seat, Py_ssize_t nothing, object dice) except -1
cpdef bint _choose(State state, Py_ssize_t seat, Py_ssize_t owner, object dice) except -1
cpdef bint _lose(State state, Py_ssize_t seat, Py_ssize_t kind, object dice) except -1
cpdef bint _start(State state, Py_ssize_t seat, Py_ssize_t starter, object dice) except -1
