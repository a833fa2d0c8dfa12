cdef class Side:
    cdef public bytearray deck, hand, numbers, kinds, marks, discard
    cdef public Py_ssize_t lands, life, tapped, mana
    cdef public bint played

    cpdef tuple facts(self)

cdef class State:
    cdef public tuple sides, movers, last
    cdef public Py_ssize_t mover, turn, attacker
    cdef public object loser
    cdef public str why
