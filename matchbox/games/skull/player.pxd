cimport cython

cdef Py_ssize_t PHASE, VARIANT, SEATS, ME, MOVER, STARTER, SKULLS, ROSES, LOST, TABLE, TOP, INSIDE
cdef Py_ssize_t HEAD, PLACING, BETTING, CHOICE, LOSE, START, OVER, _POINTS, _CARDS, _PILES, _BIDS
cdef list _BETS, _CHOICES, _PLACES
cdef dict _KNOWN


@cython.locals(phase=Py_ssize_t)
cpdef answer_brief(object player, bytes brief, object ask)
@cython.locals(
    phase=Py_ssize_t, me=Py_ssize_t, table=Py_ssize_t, held=Py_ssize_t, seats=Py_ssize_t,
    piles=Py_ssize_t, seat=Py_ssize_t,
)
cdef list _legal(bytes brief)
