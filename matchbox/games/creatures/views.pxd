cimport cython
from matchbox.games.creatures.codec cimport write
from matchbox.games.creatures.state cimport Side, State

@cython.locals(own=Side, other=Side)
cpdef bytes in_brief(State state, Py_ssize_t seat)
