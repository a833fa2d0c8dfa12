cimport cython
from matchbox.match.bout cimport LiveBout

cdef class Table:
    cdef object _job, _players, _finish, _beat
    cdef dict _live
    cdef list _owing, _broken

    @cython.locals(live=LiveBout)
    cdef bint _fill(self, object waiting) except -1
    @cython.locals(live=LiveBout, seat=Py_ssize_t, owing=list)
    cdef _step(self)
    cdef _end(self, LiveBout live)
    @cython.locals(live=LiveBout)
    cdef _ask(self, Py_ssize_t seat, list owing)
    @cython.locals(live=LiveBout)
    cdef _asked(self, Py_ssize_t seat, list owing)
    cdef _question(self, LiveBout live, Py_ssize_t seat, Py_ssize_t nth)
