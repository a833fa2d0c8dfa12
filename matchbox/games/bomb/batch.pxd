cimport cython
from matchbox.dice cimport SeededDice
from matchbox.games.bomb.deal cimport dealt
from matchbox.match cimport frame_codec
from matchbox.match.frame_codec cimport Asking

cdef Py_ssize_t AT_ASKS, AT_CARDS, AT_COUNTS, AT_OTHER, AT_PILE, AT_SEEN
cdef Py_ssize_t BOMB, BOTTOM, DEFUSE, SEE, SEEN, SHUFFLE, _DRAWS, _REFUSED
cdef dict _PLAYED

cdef class _Bout:
    cdef object seed
    cdef Py_ssize_t number
    cdef SeededDice dice
    cdef list moves
    cdef bytearray pile
    cdef tuple told
    cdef list questions
    cdef Py_ssize_t size
    cdef bint seen

cdef class Batch:
    cdef list _owing, _questions, _over

    @cython.locals(begun=_Bout, told=bytearray)
    cpdef start(self, Py_ssize_t bout, object dice, list seeds)
    @cython.locals(bout=_Bout, bouts=list, back=list, mover=Py_ssize_t, place=Py_ssize_t,
                   card=Py_ssize_t, mine=bytearray, theirs=bytearray, written=bint)
    cpdef take(self, Py_ssize_t seat, object answers)
    @cython.locals(told=bytearray, asking=Asking)
    cdef _write(self, _Bout bout, Py_ssize_t mover)
    @cython.locals(bout=_Bout)
    cpdef leave(self)

@cython.locals(mine=bytearray, card=Py_ssize_t, played=tuple)
cdef Py_ssize_t _move(_Bout bout, Py_ssize_t seat, object move) except -3
cdef _play(bytearray mine, bytearray theirs, Py_ssize_t card)
@cython.locals(seen=bytearray)
cdef _show(_Bout bout, bytearray mine)
cdef _put_away(_Bout bout, bytearray mine)
cdef Py_ssize_t _place(_Bout bout, Py_ssize_t seat, object move) except -3
