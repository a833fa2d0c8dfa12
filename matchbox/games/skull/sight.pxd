cimport cython
from matchbox.games.skull.challenge cimport State

cdef Py_ssize_t LOST, ME, MOVER, PHASE, ROSES, SKULLS, TABLE, TOP
cdef dict _PHASES


@cython.locals(skulls=bytearray, roses=bytearray, lost=bytearray, head=bytearray)
cpdef bytes brief(State state, Py_ssize_t seat)
