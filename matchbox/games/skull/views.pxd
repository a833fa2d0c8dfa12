from matchbox.games.skull cimport codec
from matchbox.games.skull.challenge cimport State


cpdef bytes brief(State state, Py_ssize_t seat)
