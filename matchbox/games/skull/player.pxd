cimport cython
from matchbox.games.skull cimport codec

cdef Py_ssize_t PLACING, BETTING, CHOICE, LOSE, START
cdef list _BETS, _CHOICES, _PLACES
cdef dict _KNOWN


@cython.locals(phase=Py_ssize_t)
cpdef answer_brief(object player, bytes brief, object ask)
@cython.locals(
    phase=Py_ssize_t, me=Py_ssize_t, skulls=Py_ssize_t, roses=Py_ssize_t, table=Py_ssize_t,
    inside=Py_ssize_t, top=Py_ssize_t, held=Py_ssize_t, seat=Py_ssize_t, piles=bytes,
    size=Py_ssize_t,
)
cdef list _legal(bytes brief)
