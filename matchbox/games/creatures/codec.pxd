cimport cython
from matchbox.games.creatures.state cimport Side, State

cdef bint _COMPILED
cdef Py_ssize_t NOBODY, _ASK, _ATTACKER, _OTHER, _HEAD
cdef list _BACKS
cdef bytearray _room
cdef object _OF_NEXT

@cython.locals(own=Side, other=Side, ask=Py_ssize_t, attacker=Py_ssize_t)
cpdef bytes brief(State state, Py_ssize_t seat)
cpdef bytes write(
    Py_ssize_t ask, Py_ssize_t seat, Py_ssize_t turn, Py_ssize_t attacker, Side own, Side other
)
cpdef Py_ssize_t read_ask(bytes brief) except -1
cpdef Py_ssize_t read_attacker(bytes brief) except -1
@cython.locals(
    cards=bytearray, deck=Py_ssize_t, discard=Py_ssize_t, end=Py_ssize_t, fallen=Py_ssize_t,
    field=Py_ssize_t, hand=Py_ssize_t, kinds=Py_ssize_t, marks=Py_ssize_t, numbers=Py_ssize_t,
    played=Py_ssize_t, theirs=Py_ssize_t
)
cpdef read(bytes brief, Side own, Side other)
@cython.locals(
    ask=Py_ssize_t, cards=bytearray, deck=Py_ssize_t, discard=Py_ssize_t, end=Py_ssize_t,
    fallen=Py_ssize_t, field=Py_ssize_t, hand=Py_ssize_t, lands=Py_ssize_t, life=Py_ssize_t,
    numbers=tuple, theirs=Py_ssize_t, theirs_left=Py_ssize_t
)
cpdef bint read_next(bytes brief, Side own, Side other) except -1
@cython.locals(
    cards=bytearray, discard=Py_ssize_t, end=Py_ssize_t, field=Py_ssize_t, hand=Py_ssize_t
)
cpdef read_other(bytes brief, Side other)
@cython.locals(
    to="unsigned char *", at=Py_ssize_t, hand=Py_ssize_t, field=Py_ssize_t, fallen=Py_ssize_t,
    their_field=Py_ssize_t, their_fallen=Py_ssize_t,
)
cpdef bytes write_compiled(
    Py_ssize_t ask, Py_ssize_t seat, Py_ssize_t turn, Py_ssize_t attacker, Side own, Side other
)
@cython.locals(place=Py_ssize_t)
cdef inline Py_ssize_t _copy(
    unsigned char *to, Py_ssize_t at, const unsigned char *cards, Py_ssize_t size
) noexcept
