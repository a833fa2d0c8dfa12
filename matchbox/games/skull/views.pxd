from matchbox.games.skull.challenge cimport State


cpdef bytes brief(State state, Py_ssize_t seat)
