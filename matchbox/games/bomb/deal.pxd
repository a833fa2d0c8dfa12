cimport cython

cdef Py_ssize_t AT_COUNTS, _END, _FIRST, _SECOND
cdef bytearray _DECK, _TOLD

@cython.locals(pile=bytearray, first=bytearray, second=bytearray, place=Py_ssize_t)
cpdef tuple dealt(object dice)
