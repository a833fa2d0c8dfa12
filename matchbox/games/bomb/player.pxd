"""The types of bomb's players, for the compiled build."""

cimport cython
from matchbox.games.bomb cimport codec

cdef list _cards

cdef class Card:
    cdef public str _name
    cdef public Py_ssize_t _number
    cdef public str _description

cdef class Hand:
    cdef public bytes _counts

    @cython.locals(known=Card)
    cpdef num_cards(self, object card)

cdef class GameData:
    cdef object _ask
    cdef bytes _brief
    cdef bint _over

    @cython.locals(pile=bytes)
    cpdef discard_pile(self)
    @cython.locals(brief=bytes)
    cpdef _play_a_card(self, object card)

@cython.locals(hand=Hand)
cdef Hand _hand(bytes counts)
@cython.locals(turn=GameData)
cpdef answer_brief(object player, bytes brief, object ask)
cdef _place(object chosen, Py_ssize_t most)
