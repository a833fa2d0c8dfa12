cimport cython
from matchbox.games.creatures.brief cimport read_other
from matchbox.games.creatures.state cimport Side

cdef Py_ssize_t _ALWAYS, _ATTACKING, ATTACKED, BLOCKED, FACE_DOWN, LAND_CARD, TAPPED
cdef object _new, Card
cdef tuple KINDS, _MARKS

cdef class Layout:
    cdef Side _side
    cdef bytes _brief
    cdef bytearray _held_kinds, _numbers
    cdef list _creatures, _fallen, _held, _played_lands
    cdef tuple _zones
    cdef Py_ssize_t _touches
    cdef bint _is_deck_shown, _is_own
    cdef readonly bint is_laid

    cpdef lay_out(self, object board)
    cpdef tell(self, bytes brief)
    cpdef deck(self)
    cpdef list creatures(self, object board)
    @cython.locals(side=Side, gone=list)
    cpdef show(self, object board, Py_ssize_t played=*)
    @cython.locals(held=list, gone=list)
    cdef _note(self)
    cdef list _show_hand(self, object board, bytearray kinds, Py_ssize_t played)
    @cython.locals(held=list, kind=Py_ssize_t)
    cdef _draw(self, object board, bytearray kinds)
    @cython.locals(place=Py_ssize_t)
    cdef _show_tapped(self, object board, Py_ssize_t tapped)
    cdef _show_creatures(self, object board, Side side, list gone)
    @cython.locals(place=Py_ssize_t)
    cdef _show_marks(self, bytearray marks)
    @cython.locals(side=Side)
    cpdef show_turn(self, object board)
    @cython.locals(side=Side)
    cpdef show_land(self, object board, Py_ssize_t played)
    @cython.locals(side=Side)
    cpdef show_tap(self, object board)
    @cython.locals(side=Side)
    cpdef show_summon(self, object board, Py_ssize_t played)
    @cython.locals(side=Side)
    cpdef show_attack(self, object board, Py_ssize_t place)

cdef card_of(Py_ssize_t number)
