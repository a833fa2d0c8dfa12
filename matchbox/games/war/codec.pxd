"""The types of Addition War's briefs, for the compiled build."""

cimport cython

cdef list _NUMBERS

cpdef bytes write(bytearray hand, bytearray other, bytearray laid, bytearray other_laid)
cpdef list hand_of(bytes brief)
