"""The types of Addition War's batch, for the compiled build."""

cimport cython
from matchbox.games.war.state cimport State, brief, holds, settle

cdef dict _LAID

cdef class _Bout:
    cdef public object number, seed
    cdef public State state
    cdef public tuple first
    cdef public list moves

cdef class Batch:
    cdef list _owing, _questions, _over

    @cython.locals(bout=_Bout, bouts=list, back=list, laid=tuple)
    cpdef take(self, Py_ssize_t seat, object answers)
    @cython.locals(first=tuple, state=State)
    cdef _play(self, _Bout bout, tuple second)
    @cython.locals(owing=list, questions=list)
    cdef _ask(self, _Bout bout, Py_ssize_t seat, object seed)

cdef dict _given(_Bout bout)
