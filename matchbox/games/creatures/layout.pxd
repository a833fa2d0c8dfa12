cimport cython
from matchbox.games.creatures.codec cimport read_other
from matchbox.games.creatures.state cimport Side

cdef Py_ssize_t _ALWAYS, ATTACKED, BLOCKED, FACE_DOWN, LAND_CARD, TAPPED
cdef object _new, Card
cdef tuple KINDS, _MARKS

cdef class Layout:
    cdef Side _side
    cdef public bytes brief
    cdef bytearray _held_kinds
    cdef readonly bytearray numbers
    cdef list _fallen
    cdef readonly list creatures, held, lands
    cdef Py_ssize_t _touches
    cdef bint _is_deck_shown, _is_own
    cdef readonly bint is_all_laid, is_laid

    cpdef lay_out(self, object board)
    cpdef lay_all(self, object board)
    cpdef update(self, bytes brief)
    cpdef deck(self)
    cpdef bint is_untouched(self, object board) except -1
    cpdef list laid(self, object board)
    @cython.locals(side=Side, gone=list)
    cpdef show(self, object board, Py_ssize_t played=*)
    cdef _note(self)
    cdef list _show_hand(self, object board, bytearray kinds, Py_ssize_t played)
    @cython.locals(cards=list)
    cdef _draw(self, object board, bytearray kinds)
    @cython.locals(place=Py_ssize_t)
    cpdef show_tapped(self, Py_ssize_t tapped)
    cdef _show_creatures(self, object board, Side side, list gone)
    @cython.locals(place=Py_ssize_t)
    cdef _show_marks(self, bytearray marks)
    @cython.locals(side=Side)
    cpdef show_turn(self, object board)

cdef card_of(Py_ssize_t number)
