"""The types of the limbs that chance is drawn from, for the compiled build."""

cimport cython

ctypedef unsigned int u32
ctypedef unsigned long long u64

cdef u64 _LIMB

@cython.locals(place=Py_ssize_t, at=Py_ssize_t)
cdef void read(u32* found, const unsigned char* digest) noexcept
@cython.locals(place=Py_ssize_t, shift=u64, low=u64, high=u64, found=u64, one=u64)
cdef u64 bits(u32* limbs, u64 at, u64 count) noexcept
@cython.locals(place=Py_ssize_t, part=u64, rest=u64)
cdef u64 divide(u32* limbs, u64 by) noexcept
@cython.locals(place=Py_ssize_t, part=u64, carried=u64)
cdef Py_ssize_t multiply(u32* limbs, Py_ssize_t size, u64 by) noexcept
@cython.locals(place=Py_ssize_t, low=u32)
cdef bint is_over(u32* limbs, Py_ssize_t size) noexcept
@cython.locals(below=Py_ssize_t, found=u64)
cdef Py_ssize_t lowest_place(Py_ssize_t above, Py_ssize_t last) noexcept
@cython.locals(found=u64)
cdef u64 permutations(Py_ssize_t above, Py_ssize_t below) noexcept
