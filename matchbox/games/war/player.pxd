"""The types of Addition War's driver, for the compiled build."""

cimport cython
from matchbox.games.war.codec cimport hand_of

cdef dict _TEXTS

cdef class Position:
    cdef dict __dict__
    cdef bytes _brief
    cdef public object hand

@cython.locals(position=Position)
cpdef answer_brief(object player, bytes brief, object ask)
