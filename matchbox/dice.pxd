cimport cython

cdef class SeededDice:
    cdef bytes _seed
    cdef Py_ssize_t _step, _begun
    cdef object _room
    cdef object _value

    cpdef SeededDice at(self, Py_ssize_t step)
    cpdef object below(self, object n)
    @cython.locals(last=Py_ssize_t, first=Py_ssize_t, above=Py_ssize_t, below=Py_ssize_t,
                   part=cython.longlong, size=Py_ssize_t, other=Py_ssize_t)
    cpdef shuffle(self, object items)
    cdef object _refill(self, object n)
