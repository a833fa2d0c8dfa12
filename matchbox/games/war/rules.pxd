"""The types of Addition War's rules, for the compiled build."""

cimport cython

cdef class State:
    cdef public bint chooses
    cdef public tuple hands, played, own
    cdef public object owing
    cdef public list laid, points
    cdef public Py_ssize_t open, pot

cdef class War:
    cpdef to_move(self, State state)
    @cython.locals(hand=bytearray)
    cpdef refusal(self, State state, Py_ssize_t seat, object move)
    @cython.locals(first=bytearray, second=bytearray, hand=bytearray)
    cpdef apply(self, State state, Py_ssize_t seat, object move, object dice)
    @cython.locals(hand=bytearray, theirs=bytearray, played=bytearray, opposed=bytearray)
    cpdef brief(self, State state, Py_ssize_t seat)

cdef _next_play(State state)
@cython.locals(mine=bytearray, theirs=bytearray, winner=bytearray, loser=bytearray,
               one=Py_ssize_t, another=Py_ssize_t, total=Py_ssize_t, other=Py_ssize_t,
               taker=Py_ssize_t)
cdef _compare(State state, object first, object second)
cdef _tie(State state, Py_ssize_t total)
