"""The types of what lies on the table of Addition War, for the compiled build."""

cimport cython

cdef class State:
    cdef public bint chooses
    cdef public tuple hands, played
    cdef public list laid

@cython.locals(hand=bytearray)
cpdef bint holds(State state, Py_ssize_t seat, tuple pair) except -1
