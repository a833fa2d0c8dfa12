cpdef enter(object memory)
