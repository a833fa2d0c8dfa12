from matchbox.games.skull cimport views
from matchbox.games.skull.challenge cimport State


cdef class Skull:
    cpdef to_move(self, State state)
    cpdef apply(self, State state, Py_ssize_t seat, object move, object dice)
    cpdef brief(self, State state, Py_ssize_t seat)
