cimport cython
from matchbox.games.creatures.state cimport Side

cdef bytes COSTS, POWERS
cdef Py_ssize_t ATTACKED, BLOCKED, LAND_CARD, UNTAPPED

cpdef bint begin_turn(Side side) except -1
cpdef Py_ssize_t play_land(Side side) except -2
cpdef bint tap(Side side, object lands) except -1
cpdef Py_ssize_t summon(Side side, Py_ssize_t card) except -2
cpdef Py_ssize_t untapped(Side side, object number) except -2
cpdef bint attack(Side side, Side other, Py_ssize_t place) except -1
@cython.locals(
    kinds=bytearray, known=bytearray, made=Py_ssize_t, marks=bytearray, number=Py_ssize_t,
    place=Py_ssize_t,
)
cpdef Py_ssize_t charge(Side side, Side other, list numbers) except -2
cpdef hit(Side side, Py_ssize_t card)
@cython.locals(coming=Py_ssize_t, power=Py_ssize_t)
cpdef fight(Side attacking, Py_ssize_t attacker, Side side, Py_ssize_t blocker)
cdef _destroy(Side side, Py_ssize_t place)
