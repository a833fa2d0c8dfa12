cdef class Generator:
    cdef public str seed
    cdef public object source
    cdef public object numpy

cpdef void enter(object generator)
