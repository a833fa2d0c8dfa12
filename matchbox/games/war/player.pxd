"""The types of Addition War's driver, for the compiled build."""

cimport cython

cdef dict _TEXTS

cdef class Position:
    cdef dict __dict__
    cdef bytes _brief
    cdef public object hand

@cython.locals(position=Position)
cpdef answer_brief(object player, bytes brief, object ask)
