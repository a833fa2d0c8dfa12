"""The types of bomb's rules, for the compiled build."""

from matchbox.games.bomb cimport steps
from matchbox.games.bomb.steps cimport State

cdef class Bomb:
    cpdef to_move(self, State state)
    cpdef apply(self, State state, object seat, object move, object dice)
    cpdef brief(self, State state, Py_ssize_t seat)
    cpdef outcome(self, State state)
