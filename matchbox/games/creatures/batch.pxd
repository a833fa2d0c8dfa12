"""The types of the creature duel's batch, for the compiled build."""

cimport cython
from matchbox.games.creatures.codec cimport brief
from matchbox.games.creatures.plan cimport Plan
from matchbox.games.creatures.state cimport Side, State
from matchbox.games.creatures.steps cimport play_land, summon, tap, untapped
from matchbox.games.creatures.turn_order cimport attack, block, charge, end_turn, let_through, outcome

cdef dict PLANS
cdef Py_ssize_t DONE, NOBODY, UNTAPPED

cdef class _Bout:
    cdef readonly object number
    cdef list said, seeds
    cdef State state

cdef class Batch:
    cdef object _deal
    cdef list _owing, _questions, _over

    @cython.locals(bout=_Bout, bouts=list, back=list, made=bint, plan=Plan)
    cpdef take(self, Py_ssize_t seat, object answers)
    @cython.locals(state=State, seat=Py_ssize_t)
    cdef _go_on(self, _Bout bout)
    @cython.locals(
        at=Py_ssize_t, attackers=list, card=Py_ssize_t, end=Py_ssize_t, land=Py_ssize_t,
        lands=Py_ssize_t, made=Py_ssize_t, moves=tuple, other=Side, place=Py_ssize_t, side=Side,
        state=State,
    )
    cdef bint _turn(self, _Bout bout, Plan plan) except -1
    @cython.locals(state=State, place=Py_ssize_t)
    cdef bint _block(self, _Bout bout, object move) except -1

cdef list _answers(_Bout bout)
