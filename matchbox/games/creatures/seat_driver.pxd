cimport cython
from matchbox.games.creatures cimport steps
from matchbox.games.creatures.codec cimport read, read_ask, read_attacker, read_next
from matchbox.games.creatures.layout cimport Layout
from matchbox.games.creatures.memory cimport Now
from matchbox.games.creatures.row cimport Row
from matchbox.games.creatures.state cimport Side

cdef Py_ssize_t BLOCK, TURN, FACE_DOWN, LAND_CARD, ATTACKING, TAPPED
cdef Py_ssize_t ATTACK_MOVE, LAND_MOVE, SUMMON_MOVE, TAP_MOVE
cdef Now NOW
cdef Row NO_MOVES

cdef class SeatDriver:
    cdef readonly Side _mine, _theirs
    cdef readonly object own, other, _ask
    cdef readonly Row _row
    cdef object _player, _opponent, _answer
    cdef Layout _own_layout, _other_layout
    cdef Py_ssize_t _last_ask, _left, _tried
    cdef bint _keeps

    @cython.locals(row=Row)
    cpdef turn(self, object player, bytes brief, object ask, bint keep)
    cpdef count(self)
    cdef bint _try_elsewhere(self) except -1
    @cython.locals(layout=Layout, left=Py_ssize_t, mine=Side, place=Py_ssize_t)
    cpdef bint play_land(self) except -1
    @cython.locals(left=Py_ssize_t, mine=Side)
    cpdef bint tap_all(self) except -1
    @cython.locals(layout=Layout, mine=Side)
    cdef bint _tap(self, Py_ssize_t lands) except -1
    @cython.locals(
        layout=Layout, left=Py_ssize_t, mine=Side, number=Py_ssize_t, place=Py_ssize_t
    )
    cpdef bint summon(self, object name) except -1
    @cython.locals(
        layout=Layout, left=Py_ssize_t, mine=Side, move=Py_ssize_t, place=Py_ssize_t, theirs=Side
    )
    cpdef bint attack(self, object creature) except -1
    cdef bint _made(self, Py_ssize_t move) except -1
    cdef _hand_over(self)
    @cython.locals(keeps=bint, moves=tuple)
    cdef _make_kept(self)
    cpdef attacked(self, object player, bytes brief)
    cpdef bint block(self, object blocker) except -1
    cpdef let_through(self)
    @cython.locals(side=Side, place=Py_ssize_t, kind=Py_ssize_t)
    cdef Py_ssize_t _ready(self, object creature) except -2
    @cython.locals(is_laid=bint, mine=Side, other=Layout, theirs=Side)
    cdef _begin_turn(self, object player, bytes brief)
    cdef _begin_block(self, object player, bytes brief)
    cdef _see(self, bytes brief)
    cdef _show_lives(self)
