cimport cython

cdef Py_ssize_t PHASE, VARIANT, SEATS, MOVER, STARTER, INSIDE, POINTS, CARDS, PILES, BIDS, TABLE, TOP
cdef Py_ssize_t OWN, PLACING, BETTING, CHOICE, LOSE, START, OVER, PUBLISHED, DOCUMENT, SKULL, ROSE
cdef Py_ssize_t PASSED, _LOST


cdef class State:
    cdef public Py_ssize_t moved, round_at, top_seat
    cdef public str ended
    cdef public bytearray board, follower, story, turned
    cdef public list inside, known, own, owned, winners

    cpdef clear_table(self)
    cpdef leave(self, Py_ssize_t seat)


@cython.locals(board=bytearray)
cpdef new_round(State state, Py_ssize_t starter)
@cython.locals(board=bytearray, own=bytearray)
cpdef place(State state, Py_ssize_t seat, Py_ssize_t kind)
@cython.locals(board=bytearray, after=Py_ssize_t)
cpdef speak(State state, Py_ssize_t seat, Py_ssize_t bid)
@cython.locals(board=bytearray, follower=bytearray, after=Py_ssize_t)
cdef Py_ssize_t _who_speaks_after(State state, Py_ssize_t seat) except -1
@cython.locals(board=bytearray, challenger=Py_ssize_t)
cdef _open(State state)
@cython.locals(board=bytearray)
cpdef choose(State state, Py_ssize_t challenger, Py_ssize_t owner, object dice)
@cython.locals(board=bytearray, kind=Py_ssize_t)
cdef Py_ssize_t _turn(State state, Py_ssize_t owner) except -1
@cython.locals(board=bytearray)
cdef _meet(State state, Py_ssize_t challenger)
cdef _fail_on_own_skull(State state, Py_ssize_t challenger)
cdef _fail_on_anothers_skull(State state, Py_ssize_t challenger, Py_ssize_t owner, object dice)
cdef bint _fail(State state, Py_ssize_t challenger) except -1
@cython.locals(board=bytearray, owned=bytearray)
cpdef lose(State state, Py_ssize_t challenger, Py_ssize_t skull_of, Py_ssize_t kind)
cpdef remove(State state, Py_ssize_t seat)
cpdef end_round(State state, Py_ssize_t starter)
cdef bint _is_won(State state) except -1
cdef _end(State state, list winners, str why)
