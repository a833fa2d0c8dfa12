"""The types of bomb's briefs, for the compiled build."""

cimport cython

cdef Py_ssize_t _ASKS_FOR_PLACE, _PILE, _OTHER, _SEEN, _HAND, _CARDS
cdef bytearray _BLANK

@cython.final
@cython.auto_pickle(False)
cdef class Sheet:
    cdef bytearray _brief

    cpdef bytearray set_pile(self, Py_ssize_t pile)
    cpdef Py_ssize_t holds(self, Py_ssize_t card) except -1
    cpdef gain(self, Py_ssize_t card)
    cpdef play(self, Py_ssize_t card)
    cpdef other_gains(self)
    cpdef other_plays(self, Py_ssize_t card)
    cpdef see(self, bytearray cards)
    @cython.locals(brief=bytearray)
    cpdef forget(self)
    cpdef set_asks_for_place(self, bint asks)

cpdef bint asks_for_place(bytes brief) except -1
cpdef Py_ssize_t read_pile(bytes brief) except -1
cpdef Py_ssize_t read_other(bytes brief) except -1
cpdef bytes read_hand(bytes brief)
cpdef bytes read_seen(bytes brief)
cpdef bytes read_discard(bytes brief)
