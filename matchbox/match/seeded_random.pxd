cimport cython
from matchbox cimport limbs
from matchbox.limbs cimport u32, u64

cdef bint _IN_LIMBS
cdef object _DRAWS
cdef Here _here

cdef class Generator:
    cdef public str seed
    cdef public object source, numpy, gauss_next
    cdef object _bits
    cdef Py_ssize_t _left
    cdef u32 _limbs[18]

    cpdef get(self)
    cpdef twister(self)
    @cython.locals(digest=bytes)
    cdef _begin(self)
    @cython.locals(left=Py_ssize_t)
    cpdef random(self)
    cpdef object _randbelow(self, object n)
    @cython.locals(k=Py_ssize_t, bits=u64)
    cdef object _below(self, u64 n)
    @cython.locals(found=object, bits=object, got=Py_ssize_t, part=Py_ssize_t)
    cdef object _more_bits(self, Py_ssize_t count)

cdef class Here:
    cdef public Generator generator

cdef _source()
@cython.locals(now=Generator)
cdef _below(object n)
@cython.locals(last=Py_ssize_t, other=Py_ssize_t)
cdef _shuffle_list(list items)
