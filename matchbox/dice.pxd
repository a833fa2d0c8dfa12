cimport cython
from matchbox cimport limbs
from matchbox.limbs cimport u32, u64

cdef bint _IN_LIMBS
cdef list _PLANS, _STEPS

@cython.locals(size="unsigned long long", other="unsigned long long")
cdef _swap(object items, Py_ssize_t above, Py_ssize_t below, unsigned long long number)
@cython.locals(size="unsigned long long", other="unsigned long long")
cdef _swap_bytes(unsigned char* items, Py_ssize_t above, Py_ssize_t below, unsigned long long number)

cdef class SeededDice:
    cdef bytes _seed
    cdef Py_ssize_t _step, _begun
    cdef object _drawn, _limit, _value
    cdef u32 _limbs[16]
    cdef u32 _results[24]
    cdef Py_ssize_t _size
    cdef bint _whole

    cpdef SeededDice at(self, Py_ssize_t step)
    cpdef object below(self, object n)
    @cython.locals(size=Py_ssize_t, parts=list, above=Py_ssize_t, below=Py_ssize_t,
                   part="unsigned long long")
    cpdef shuffle(self, object items)
    cdef u64 _small(self, u64 n) except? 1
    @cython.locals(last=Py_ssize_t, below=Py_ssize_t, number=u64)
    cdef Py_ssize_t _shuffle_small(self, object items, Py_ssize_t size) except -1
    @cython.locals(below=Py_ssize_t, full=bint)
    cdef bint _have_permutations(self, Py_ssize_t size, Py_ssize_t last) noexcept
    cdef bint _have(self, u64 n) noexcept
    cdef _begin_limbs(self)
    cdef _leave_limbs(self)
    cdef object _begin(self, object n)
    cdef object _number(self)
    @cython.locals(step=Py_ssize_t, begun=Py_ssize_t)
    cdef bytes _digest(self)

@cython.locals(seeds=list)
cpdef list player_seeds(bytes deal, str match, Py_ssize_t rotation, Py_ssize_t seats)
cpdef bytes player_seed(str deal, str match, Py_ssize_t rotation, Py_ssize_t seat)
