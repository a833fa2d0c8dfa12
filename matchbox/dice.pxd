cimport cython

cdef list _PLANS

@cython.locals(size="unsigned long long", other="unsigned long long")
cdef _swap(object items, Py_ssize_t above, Py_ssize_t below, unsigned long long part)
@cython.locals(size="unsigned long long", other="unsigned long long")
cdef _swap_bytes(unsigned char* items, Py_ssize_t above, Py_ssize_t below, unsigned long long part)

cdef class SeededDice:
    cdef bytes _seed
    cdef Py_ssize_t _step, _begun
    cdef object _drawn, _limit, _value

    cpdef SeededDice at(self, Py_ssize_t step)
    cpdef object below(self, object n)
    @cython.locals(size=Py_ssize_t, parts=list, above=Py_ssize_t, below=Py_ssize_t,
                   part="unsigned long long")
    cpdef shuffle(self, object items)
    cdef object _begin(self, object n)
    cdef object _number(self)

cpdef bytes player_seed(str deal, str match, Py_ssize_t rotation, Py_ssize_t seat)
