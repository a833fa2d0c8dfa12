cimport cython
from matchbox.games.creatures.views cimport in_brief
from matchbox.games.creatures cimport steps
from matchbox.games.creatures.state cimport Side, State

cdef class Creatures:
    cpdef to_move(self, State state)
    @cython.locals(known=dict)
    cpdef State apply(self, State state, Py_ssize_t seat, object move, object dice)
    cpdef bytes brief(self, State state, Py_ssize_t seat)

cdef _begin_turn(State state)
cpdef _land(State state, Side side, object what)
cpdef _tap(State state, Side side, object what)
cpdef _summon(State state, Side side, object what)
@cython.locals(place=Py_ssize_t, other=Side, is_settled=bint)
cpdef _attack(State state, Side side, object what)
cpdef _pass(State state, Side side, object what)
@cython.locals(place=Py_ssize_t, attacking=Side, attacker=Py_ssize_t, blocker=Py_ssize_t)
cpdef _block(State state, Side side, object what)
cpdef _done(State state, Side side, object what)
cdef _go_on(State state)
cdef _lose(State state, Py_ssize_t seat, str why)
cdef Py_ssize_t _ready(Side side, object number) except -2
