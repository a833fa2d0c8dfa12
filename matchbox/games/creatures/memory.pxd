cdef class Now:
    cdef public object memory
