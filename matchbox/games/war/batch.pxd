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

    @cython.locals(begun=_Bout)
    cpdef start(self, object bout, object dice, object seeds)
    @cython.locals(bout=_Bout, bouts=list, back=list, laid=tuple, owing=list, questions=list,
                   other=Py_ssize_t)
    cpdef take(self, Py_ssize_t seat, object answers)

@cython.locals(first=tuple)
cdef _compare(_Bout bout, tuple second)
cdef dict _given(_Bout bout)
