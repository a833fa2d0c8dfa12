cimport cython
from matchbox.games.creatures cimport steps
from matchbox.games.creatures.brief cimport read, read_next
from matchbox.games.creatures.layout cimport Layout
from matchbox.games.creatures.memory cimport enter
from matchbox.games.creatures.state cimport Side

cdef Py_ssize_t ASKED, ATTACKER, BLOCK, TURN, FACE_DOWN, LAND_CARD

cdef class Table:
    cdef readonly Side _mine, _theirs
    cdef readonly object own, other, _ask
    cdef readonly list _kept
    cdef object _player, _opponent, _answer
    cdef Layout _own_layout, _other_layout
    cdef Py_ssize_t _asked, _tried
    cdef bint _keeps

    cpdef turn(self, object player, bytes brief, object ask, bint keep)
    cpdef count(self)
    cdef _refuse(self)
    @cython.locals(place=Py_ssize_t)
    cpdef bint play_land(self) except -1
    @cython.locals(mine=Side)
    cpdef bint tap_all(self) except -1
    cdef bint _tap(self, Py_ssize_t lands) except -1
    @cython.locals(card=Py_ssize_t, place=Py_ssize_t)
    cpdef bint summon(self, object name) except -1
    @cython.locals(mine=Side, place=Py_ssize_t, theirs=Side)
    cpdef bint attack(self, object creature) except -1
    cdef bint _made(self, object move) except -1
    cdef _hand_over(self)
    cdef _make_kept(self)
    cpdef attacked(self, object player, bytes brief)
    cpdef bint block(self, object blocker) except -1
    cpdef let_through(self)
    @cython.locals(side=Side, place=Py_ssize_t, kind=Py_ssize_t)
    cdef Py_ssize_t _ready(self, object creature) except -2
    @cython.locals(is_laid=bint)
    cdef _begin(self, object player, bytes brief)
    cdef _see(self, bytes brief)
    cdef _show_lives(self)
