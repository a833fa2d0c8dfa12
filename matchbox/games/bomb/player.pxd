cimport cython

cdef Py_ssize_t _PILE, _OTHER, _SEEN, _COUNTS, _CARDS
cdef list _cards

cdef class Card:
    cdef public str _name
    cdef public Py_ssize_t _number
    cdef public str _description
    cdef Py_ssize_t _place

cdef class Hand:
    cdef bytes _brief

    @cython.locals(known=Card, brief="const unsigned char*")
    cpdef num_cards(self, object card)

cdef class GameData:
    cdef object _ask
    cdef bytes _brief
    cdef bint _over

    @cython.locals(brief="const unsigned char*", size=Py_ssize_t)
    cpdef discard_pile(self)
    @cython.locals(brief=bytes)
    cpdef _play_a_card(self, object card)

@cython.locals(hand=Hand)
cdef Hand _hand(bytes brief)
@cython.locals(turn=GameData)
cpdef answer_brief(object player, bytes brief, object ask)
cdef _place(object chosen, Py_ssize_t most)
