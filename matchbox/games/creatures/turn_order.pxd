"""The types of the order of a turn, for the compiled build."""

cimport cython
from matchbox.games.creatures cimport steps
from matchbox.games.creatures.state cimport Side, State

cdef Py_ssize_t NOBODY
cdef tuple _SEATS
cdef dict _ENDED

@cython.locals(side=Side)
cpdef begin_turn(State state)
@cython.locals(side=Side)
cpdef end_turn(State state)
@cython.locals(mover=Py_ssize_t)
cpdef bint attack(State state, Py_ssize_t place) except -1
@cython.locals(mover=Py_ssize_t)
cpdef Py_ssize_t charge(State state, list numbers) except -2
@cython.locals(mover=Py_ssize_t, side=Side)
cpdef let_through(State state)
@cython.locals(mover=Py_ssize_t)
cpdef block(State state, Py_ssize_t place)
cpdef outcome(State state)
cdef _settle(State state)
@cython.locals(attacked=Py_ssize_t, side=Side)
cdef _look_at_life(State state)
cdef _lose(State state, Py_ssize_t seat, str why)
