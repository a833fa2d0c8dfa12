cimport cython
from matchbox.games.creatures cimport codec, steps, turn_order
from matchbox.games.creatures.state cimport Side, State

cdef Py_ssize_t NOBODY

cdef class Creatures:
    cpdef to_move(self, State state)
    @cython.locals(known=dict)
    cpdef State apply(self, State state, Py_ssize_t seat, object move, object dice)
    cpdef bytes brief(self, State state, Py_ssize_t seat)
    cpdef outcome(self, State state)

cpdef _land(State state, Side side, object what)
cpdef _tap(State state, Side side, object what)
cpdef _summon(State state, Side side, object what)
@cython.locals(place=Py_ssize_t, is_settled=bint)
cpdef _attack(State state, Side side, object what)
@cython.locals(attacking=Side)
cpdef _pass(State state, Side side, object what)
@cython.locals(place=Py_ssize_t, attacking=Side)
cpdef _block(State state, Side side, object what)
cpdef _done(State state, Side side, object what)
cdef Py_ssize_t _ready(Side side, object number) except -2
