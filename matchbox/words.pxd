"""The types of the machine words that chance is drawn from, for the compiled build."""

cimport cython

ctypedef unsigned int u32
ctypedef unsigned long long u64

cdef bytes _DIGITS, _ORDERS

@cython.locals(length=u64)
cdef void key(u64* state, bytes secret, u64 size) noexcept
@cython.locals(state=u64[8], block=u64[16], place=Py_ssize_t)
cdef void number(u32* found, u64* keyed, u64 first, u64 second, u64 before) noexcept
@cython.locals(state=u64[8], length=Py_ssize_t)
cdef void text_number(u32* found, bytes text) noexcept
@cython.locals(block=u64[16])
cdef void read(u32* found, bytes digest) noexcept
@cython.locals(keyed=u64[8], state=u64[8], told="char[64]", text=bytes, length=Py_ssize_t,
               place=Py_ssize_t, byte=u64)
cdef list in_hex(bytes secret, list texts)
@cython.locals(place=Py_ssize_t, shift=u64, low=u64, high=u64, found=u64, one=u64)
cdef u64 bits(u32* words, u64 at, u64 count) noexcept
@cython.locals(place=Py_ssize_t, part=u64, rest=u64)
cdef u64 divide(u32* words, u64 by) noexcept
@cython.locals(place=Py_ssize_t, part=u64, carried=u64)
cdef Py_ssize_t multiply(u32* words, Py_ssize_t size, u64 by) noexcept
@cython.locals(place=Py_ssize_t, low=u32)
cdef bint is_over(u32* words, Py_ssize_t size) noexcept
@cython.locals(below=Py_ssize_t, found=u64)
cdef Py_ssize_t part(Py_ssize_t above, Py_ssize_t last) noexcept
@cython.locals(found=u64)
cdef u64 orders(Py_ssize_t above, Py_ssize_t below) noexcept

@cython.locals(place=Py_ssize_t, word=u64)
cdef void _count(u32* words, u64* state) noexcept
cdef u32 _turned(u32 word) noexcept
@cython.locals(low=u64, high=u64)
cdef u64 _all_turned(u64 word) noexcept
@cython.locals(block=u64[16])
cdef void _mix(u64* state, unsigned char* text, Py_ssize_t length, u64 mixed, u64 last) noexcept
@cython.locals(v=u64[16], place=Py_ssize_t, turn=Py_ssize_t, at=Py_ssize_t)
cdef void _rounds(u64* state, u64* block, unsigned char* order, u64 mixed, u64 last) noexcept
cdef void _columns(u64* v, u64* block, unsigned char* order) noexcept
cdef void _diagonals(u64* v, u64* block, unsigned char* order) noexcept
@cython.locals(place=Py_ssize_t, byte=u64)
cdef void _load(u64* block, unsigned char* text, Py_ssize_t length) noexcept
