"""The types of Addition War's rules, for the compiled build."""

from matchbox.games.war.state cimport State

cdef class War:
    cpdef to_move(self, State state)
    cpdef refusal(self, State state, Py_ssize_t seat, object move)
    cpdef apply(self, State state, Py_ssize_t seat, object move, object dice)
    cpdef brief(self, State state, Py_ssize_t seat)
