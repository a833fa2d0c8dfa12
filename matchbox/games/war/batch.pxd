"""The types of Addition War's batch, for the compiled build."""

cimport cython
from matchbox.games.war.codec cimport write
from matchbox.games.war.state cimport State

cdef dict _LAID

cdef class _Bout:
    cdef public object number
    cdef public State state
    cdef public list moves

cdef class Batch:
    cdef list _bouts, _questions, _over

    @cython.locals(bout=_Bout, state=State, back=list, hand=bytearray, played=bytearray)
    cpdef take(self, Py_ssize_t seat, object answers)
    cdef _drop(self, set left)
    @cython.locals(bout=_Bout, state=State, bouts=list, first=list, second=list)
    cdef _go_on(self)

cdef tuple _left(_Bout bout, dict given)
cdef tuple _briefs(State state)
