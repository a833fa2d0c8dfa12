cimport cython

cdef Py_ssize_t AT_ASKS, AT_PILE, AT_OTHER, AT_SEEN, AT_COUNTS, AT_CARDS
cdef Py_ssize_t BOMB, BOTTOM, DEFUSE, SEE, SEEN, SHUFFLE, SKIP

cdef class State:
    cdef public bytearray pile, seen
    cdef public tuple told
    cdef public Py_ssize_t mover
    cdef public str asks, last
    cdef public object loser

cdef class Bomb:
    cpdef to_move(self, State state)
    cpdef apply(self, State state, object seat, object move, object dice)
    @cython.locals(told=bytearray, head=bytearray)
    cpdef brief(self, State state, Py_ssize_t seat)

cdef bytearray _told(bytearray own, bytearray other)
@cython.locals(mine=bytearray, theirs=bytearray)
cdef _play(State state, Py_ssize_t card)
@cython.locals(mine=bytearray)
cdef _take(State state, Py_ssize_t card)
cdef _put_back(State state, object move)
