"""The types of the creature duel's batch, for the compiled build."""

cimport cython
from matchbox.games.creatures.codec cimport write, written
from matchbox.games.creatures.plan cimport Plan
from matchbox.games.creatures.state cimport Side
from matchbox.match cimport frame_codec
from matchbox.games.creatures.steps cimport attack, begin_turn, charge, fight, hit, play_land, summon, tap, untapped

cdef dict PLANS
cdef Py_ssize_t DONE
cdef Py_ssize_t BLOCK, NOBODY, TURN, UNTAPPED, _BOTH, _OVER, _REFUSED

cdef class _Bout:
    cdef readonly object number
    cdef list said, seeds
    cdef tuple sides
    cdef Py_ssize_t attacker, turn

cdef class Batch:
    cdef object _deal
    cdef list _owing, _questions, _over

    @cython.locals(bout=_Bout, bouts=list, back=list, mover=Py_ssize_t, plan=Plan)
    cpdef take(self, Py_ssize_t seat, object answers)
    @cython.locals(asked=Py_ssize_t, attacker=Py_ssize_t, own=Side, other=Side)
    cdef _ask(self, _Bout bout, Py_ssize_t seat)
    @cython.locals(
        at=Py_ssize_t, attackers=list, card=Py_ssize_t, end=Py_ssize_t, land=Py_ssize_t,
        lands=Py_ssize_t, made=Py_ssize_t, mover=Py_ssize_t, moves=tuple, other=Side,
        place=Py_ssize_t, side=Side,
    )
    cdef Py_ssize_t _turn(self, _Bout bout, Py_ssize_t seat, Plan plan) except -3
    @cython.locals(side=Side, other=Side, place=Py_ssize_t)
    cdef Py_ssize_t _block(self, _Bout bout, Py_ssize_t seat, object move) except -3
    cdef Py_ssize_t _end(self, _Bout bout, tuple last, Py_ssize_t loser, str why) except -3

cdef list _answers(_Bout bout)
