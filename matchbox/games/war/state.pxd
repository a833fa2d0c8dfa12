"""The types of what lies on the table of Addition War, for the compiled build."""

cimport cython

cdef Py_ssize_t LOST, TAKEN, OPEN

cdef class State:
    cdef public bint chooses
    cdef public tuple hands, plays
    cdef public list laid, points
    cdef public Py_ssize_t open, pot

@cython.locals(hand=bytearray)
cpdef bint holds(State state, Py_ssize_t seat, tuple pair) except -1
@cython.locals(hand=bytearray, theirs=bytearray)
cpdef bytes brief(State state, Py_ssize_t seat)
@cython.locals(one=Py_ssize_t, another=Py_ssize_t, three=Py_ssize_t, four=Py_ssize_t,
               hand=bytearray, other=bytearray, mine=Py_ssize_t, theirs=Py_ssize_t,
               taker=Py_ssize_t)
cpdef settle(State state, object first, object second)
cdef _note(bytearray plays, unsigned char one, unsigned char another, unsigned char three,
           unsigned char four, unsigned char took)
cdef _tie(State state, Py_ssize_t total)
@cython.locals(winner=bytearray, loser=bytearray, back=Py_ssize_t)
cdef _take_open(State state, Py_ssize_t taker)
