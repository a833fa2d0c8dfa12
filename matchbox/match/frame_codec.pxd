cimport cython

cdef bint COMPILED
cdef Py_ssize_t _ROOM, _TAIL, _NONCE, _COUNT, _FIRST, _LOWEST, _DIGITS, _SLOTS, _LENGTH
cdef int _LIST, _TUPLE, _INT, _BYTES, _TEXT, _NONE
cdef int _QUOTE, _BACKSLASH, _COMMA, _OPEN, _ZERO, _NINE, _SPACE, _TILDE
cdef bytes _HEAD, _SAY, _END, _NOTHING
cdef bytearray _room
cdef list _spelled, _texts

@cython.final
@cython.auto_pickle(False)
cdef class Asking:
    cdef bytearray _room
    cdef Py_ssize_t _at, _count

    @cython.locals(
        to="unsigned char *", at=Py_ssize_t, size=Py_ssize_t, length=Py_ssize_t, spelled=bytes
    )
    cpdef add(self, Py_ssize_t number, object view, str seed)
    @cython.locals(
        to="unsigned char *", head="const unsigned char *", at=Py_ssize_t, place=Py_ssize_t
    )
    cpdef bytes frame(self, object nonce, list ended)
    cpdef clear(self)
    cdef _grow(self, Py_ssize_t size)

cdef Asking _asking

@cython.locals(to=Asking)
cpdef bytes asks(object nonce, list questions, list ended)
@cython.locals(small=Py_ssize_t)
cdef inline Py_ssize_t _small(object number) except? -1
cdef inline void _put(
    unsigned char *to, Py_ssize_t at, int kind, Py_ssize_t number
) noexcept
@cython.locals(place=Py_ssize_t)
cdef inline Py_ssize_t _copy(
    unsigned char *to, Py_ssize_t at, const unsigned char *data, Py_ssize_t size
) noexcept

@cython.locals(
    to="unsigned char *", head=bytes, known=bytes, at=Py_ssize_t, size=Py_ssize_t,
)
cpdef bytes answer_frame(object nonce, list moves, dict texts, dict numbers)
@cython.locals(
    data="const unsigned char *", at=Py_ssize_t, end=Py_ssize_t, start=Py_ssize_t,
    size=Py_ssize_t, slot=Py_ssize_t, letter=int, found=list, place=Py_ssize_t,
)
cpdef list answers(bytes frame, object nonce, Py_ssize_t count)
@cython.locals(at=Py_ssize_t, size=Py_ssize_t)
cdef inline Py_ssize_t _digits(
    const unsigned char *data, Py_ssize_t start, Py_ssize_t end
) noexcept
@cython.locals(value=Py_ssize_t, at=Py_ssize_t)
cdef inline Py_ssize_t _value(
    const unsigned char *data, Py_ssize_t start, Py_ssize_t size
) noexcept
@cython.locals(known="const unsigned char *", place=Py_ssize_t, spelled=bytes, text=str)
cdef inline str _text(
    const unsigned char *data, Py_ssize_t start, Py_ssize_t size, Py_ssize_t slot
)
