"""The types of Skull's batch, for the compiled build."""

cimport cython
from matchbox.dice cimport SeededDice
from matchbox.games.skull.challenge cimport State
from matchbox.games.skull.views cimport brief

cdef Py_ssize_t MOVER

cdef class _Bout:
    cdef public object number
    cdef public SeededDice dice
    cdef public list moves, seeds
    cdef public State state

cdef class Batch:
    cdef Py_ssize_t _seats
    cdef str _variant
    cdef list _owing, _over

    @cython.locals(state=State)
    cpdef start(self, object bout, SeededDice dice, list seeds)
    @cython.locals(bout=_Bout)
    cpdef ask(self, Py_ssize_t seat)
    @cython.locals(bout=_Bout, bouts=list, back=list, step=tuple, state=State,
                   dice=SeededDice, made=list, owing=list)
    cpdef take(self, Py_ssize_t seat, object answers)
