cimport cython
from matchbox.match.bout cimport LiveBout

cdef class RotationRunner:
    cdef object _job, _players, _bouts, _batch, _rotation, _suspicion
    cdef bint _alone, _earlier
    cdef readonly bint one_at_a_time
    cdef Py_ssize_t _batched, _width
    cdef dict _live
    cdef list _aside, _owing, _broken, _held, _lost

    @cython.locals(live=LiveBout)
    cdef _start(self, object waiting)
    cdef bint _fill(self, object waiting) except -1
    @cython.locals(seat=Py_ssize_t, owing=list)
    cdef _step(self)
    @cython.locals(live=LiveBout)
    cdef _take(self, Py_ssize_t seat, object owing, object answers)
    cdef _note(self, LiveBout live, object answered=*)
    @cython.locals(seat=Py_ssize_t)
    cdef _end(self, object bout)
    cdef _ask_batch(self, Py_ssize_t seat, object questions)
    cdef bint _end_batched(self) except -1
    @cython.locals(live=LiveBout)
    cdef _ask(self, Py_ssize_t seat, list owing)
    cdef _seed(self, Py_ssize_t deal, Py_ssize_t seat)
    cdef _question(self, LiveBout live, Py_ssize_t seat, Py_ssize_t nth)
    cdef _repeat_questions(self, Py_ssize_t seat, LiveBout live)
