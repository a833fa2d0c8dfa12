cimport cython
from matchbox.match.chance cimport Generator, Here

cdef class Session:
    cdef object _make, _answer, _answer_brief, _report, _class, _chance, _hub, _questions
    cdef Here _here
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
    @cython.locals(here=Here, bouts=dict, bout=_Bout)
    cpdef _work(self)
    cdef _new_player(self)
    cdef _note(self, _Bout bout, object report)
    cdef wait(self, _Bout bout, object move)
    @cython.locals(bout=_Bout)
    cdef _forget(self, object number)
    cdef bytes _encode_said(self, object nonce)

cdef class _Bout(Generator):
    cdef Session _session
    cdef object number, player, view, waiting
    cdef Py_ssize_t decisions, place

cdef dict _texts

@cython.locals(known=dict)
cdef bint _know(list moves) except -1
