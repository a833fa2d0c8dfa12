"""The types of Skull's view in bytes, for the compiled build."""

cdef Py_ssize_t OVER
cdef Py_ssize_t _PHASE, _VARIANT, _SEATS, _MOVER, _STARTER, _INSIDE, _POINTS, _CARDS, _PILE_SIZES
cdef Py_ssize_t _BIDS, _TABLE, _TOP, _SKULLS, _ROSES, _ME, _LOST, _GONE

cpdef bytes write(
    Py_ssize_t phase,
    Py_ssize_t variant,
    Py_ssize_t seats,
    Py_ssize_t mover,
    Py_ssize_t starter,
    Py_ssize_t inside,
    object points,
    object cards,
    object pile_sizes,
    object bids,
    Py_ssize_t table,
    Py_ssize_t top,
    Py_ssize_t skulls,
    Py_ssize_t roses,
    Py_ssize_t me,
    object lost,
    object pile,
    object story,
)
cpdef Py_ssize_t read_phase(bytes brief) except -1
cpdef Py_ssize_t read_own_phase(bytes brief) except -1
cpdef Py_ssize_t read_variant(bytes brief) except -1
cpdef Py_ssize_t read_me(bytes brief) except -1
cpdef Py_ssize_t read_mover(bytes brief) except -1
cpdef Py_ssize_t read_starter(bytes brief) except -1
cpdef (Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t) read_placing(bytes brief)
cpdef (Py_ssize_t, Py_ssize_t) read_betting(bytes brief)
cpdef (Py_ssize_t, Py_ssize_t) read_hand(bytes brief)
cpdef bytes read_points(bytes brief)
cpdef bytes read_cards(bytes brief)
cpdef bytes read_pile_sizes(bytes brief)
cpdef bytes read_bids(bytes brief)
cpdef bytes read_lost(bytes brief)
cpdef bytes read_pile(bytes brief)
cpdef bytes read_story(bytes brief)
