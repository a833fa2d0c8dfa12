cimport cython

cdef class Row:
    cdef readonly tuple moves
    cdef readonly object whole
    cdef dict _longer

    cpdef Row then(self, Py_ssize_t move)
    @cython.locals(row=Row)
    cdef Row _grown(self, Py_ssize_t move)

cdef list _MOVES, _kept
