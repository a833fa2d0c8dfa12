"""The types of Skull's table and rounds, for the compiled build."""

cimport cython

cdef Py_ssize_t PLACING, BETTING, CHOICE, LOSE, START, OVER, PUBLISHED, DOCUMENT, SKULL, ROSE
cdef Py_ssize_t PASSED_BYTE

cdef class State:
    cdef public Py_ssize_t moved, mover, phase, round_at, starter, table, top, top_seat, variant
    cdef public str ended
    cdef public bytearray bids, cards, follower, pile_sizes, points, story, turned
    cdef public list hands, inside, known, lost, owned, piles, winners

    cpdef clear_table(self)
    cpdef leave(self, Py_ssize_t seat)

cpdef new_round(State state, Py_ssize_t starter)
@cython.locals(hand=bytearray, pile=bytearray)
cpdef place(State state, Py_ssize_t seat, Py_ssize_t kind)
@cython.locals(after=Py_ssize_t)
cpdef speak(State state, Py_ssize_t seat, Py_ssize_t bid)
@cython.locals(follower=bytearray, after=Py_ssize_t)
cdef Py_ssize_t _who_speaks_after(State state, Py_ssize_t seat) except -1
@cython.locals(challenger=Py_ssize_t)
cdef _open(State state)
cpdef choose(State state, Py_ssize_t challenger, Py_ssize_t owner, object dice)
@cython.locals(kind=Py_ssize_t)
cdef Py_ssize_t _turn(State state, Py_ssize_t owner) except -1
cdef _meet(State state, Py_ssize_t challenger)
cdef _fail_on_own_skull(State state, Py_ssize_t challenger)
cdef _fail_on_anothers_skull(State state, Py_ssize_t challenger, Py_ssize_t owner, object dice)
cdef bint _fail(State state, Py_ssize_t challenger) except -1
cpdef lose(State state, Py_ssize_t challenger, Py_ssize_t skull_of, Py_ssize_t kind)
cpdef remove(State state, Py_ssize_t seat)
cpdef end_round(State state, Py_ssize_t starter)
cdef bint _end_if_one_is_left(State state) except -1
cdef _end(State state, list winners, str why)
