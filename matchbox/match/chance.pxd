cdef class Generator:
    cdef public str seed
    cdef public object source
    cdef public object numpy

cdef class Here:
    cdef public Generator generator
