cimport cython

cdef class Session:
    cdef object _make, _answer, _answer_brief, _report, _class, _chance, _hub, _questions
    cdef bytes _memory
    cdef dict _bouts
    cdef readonly list _idle, _abandoned
    cdef list _waiting, _moves, _faults, _rows, _reports
    cdef bint _asking, _wanted
    cdef _Bout _now

    cpdef bytes handle(self, bytes frame)
    @cython.locals(bout=_Bout)
    cdef bytes _say(self, object nonce, list questions)
    cdef _resume(self, _Bout bout)
    @cython.locals(bout=_Bout, place=Py_ssize_t)
    cpdef _work(self)
    cdef _decide(self, _Bout bout, object view)
    cdef _put(self, Py_ssize_t place, object move)
    cdef _new_player(self)
    cdef _note(self, _Bout bout, object report)
    cdef wait(self, _Bout bout, object move)
    @cython.locals(bout=_Bout)
    cdef _forget(self, object number)
    cdef bytes _encode_said(self, object nonce)

cdef class _Bout:
    cdef Session _session
    cdef object chance, number, player, view, waiting
    cdef Py_ssize_t decisions, place
