cimport cython
from matchbox.games.skull.challenge cimport State


@cython.locals(lost=bytearray)
cpdef bytes brief(State state, Py_ssize_t seat)
