"""The types of Skull's view in bytes, for the compiled build."""

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
