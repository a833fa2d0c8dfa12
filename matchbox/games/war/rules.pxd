"""The types of Addition War's rules, for the compiled build."""

cimport cython
from matchbox.games.war cimport codec
from matchbox.games.war.state cimport State

cdef class War:
    cpdef to_move(self, State state)
    cpdef refusal(self, State state, Py_ssize_t seat, object move)
    cpdef apply(self, State state, Py_ssize_t seat, object move, object dice)
    @cython.locals(hands=tuple, played=tuple, other=Py_ssize_t)
    cpdef brief(self, State state, Py_ssize_t seat)
