cdef class Plan:
    cdef readonly object answer
    cdef readonly tuple moves
    cdef readonly list stages
