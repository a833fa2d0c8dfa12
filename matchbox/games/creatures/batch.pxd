"""The types of the creature duel's batch, for the compiled build."""

cimport cython
from matchbox.games.creatures.brief cimport write
from matchbox.games.creatures.state cimport Side
from matchbox.games.creatures.steps cimport attack, begin_turn, fight, hit, play_land, summon, tap, untapped

cdef Py_ssize_t BLOCK, NOBODY, TURN, _OVER, _REFUSED
cdef list _ATTACKS, _TAPS
cdef dict _SUMMONS

cdef class _Bout:
    cdef readonly object number
    cdef list moves, rows, seeds
    cdef tuple sides
    cdef Py_ssize_t attacker, turn

cdef class Batch:
    cdef object _deal
    cdef list _owing, _questions, _over

    @cython.locals(
        bout=_Bout, bouts=list, back=list, before=Py_ssize_t, mover=Py_ssize_t, moves=list
    )
    cpdef take(self, Py_ssize_t seat, object answers)
    @cython.locals(own=Side, other=Side)
    cdef _ask(self, _Bout bout, Py_ssize_t seat)
    @cython.locals(
        card=Py_ssize_t, moves=list, other=Side, place=Py_ssize_t, side=Side, whole=Py_ssize_t
    )
    cdef Py_ssize_t _turn(self, _Bout bout, Py_ssize_t seat, tuple row) except -3
    @cython.locals(side=Side, other=Side, place=Py_ssize_t)
    cdef Py_ssize_t _block(self, _Bout bout, Py_ssize_t seat, object move) except -3
    cdef Py_ssize_t _end(self, _Bout bout, Py_ssize_t loser, str why) except -3

cdef list _answers(_Bout bout)
