"""The types of bomb's batch, for the compiled build."""

cimport cython
from matchbox.dice cimport SeededDice
from matchbox.games.bomb cimport steps
from matchbox.games.bomb.codec cimport Sheet
from matchbox.games.bomb.steps cimport State, dealt, make
from matchbox.match cimport frame_codec
from matchbox.match.frame_codec cimport Asking

@cython.final
@cython.auto_pickle(False)
cdef class _Bout:
    cdef Py_ssize_t number
    cdef SeededDice dice
    cdef list moves, seeds
    cdef State state

cdef class Batch:
    cdef list _owing, _questions, _over

    cpdef start(self, Py_ssize_t bout, SeededDice dice, list seeds)
    @cython.locals(bout=_Bout, bouts=list, back=list, state=State, moves=list)
    cpdef take(self, Py_ssize_t seat, object answers)
    @cython.locals(bout=_Bout)
    cpdef leave(self)
    @cython.locals(state=State, seat=Py_ssize_t, brief=bytearray, sheet=Sheet, asking=Asking)
    cdef _ask(self, _Bout bout)
