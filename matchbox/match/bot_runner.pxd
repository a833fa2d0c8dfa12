cimport cython
from matchbox.match cimport frame_codec
from matchbox.match.seeded_random cimport Generator, Here
from matchbox.match.frame_codec cimport Asked
from matchbox.match.answer_codec cimport said_in_rows

@cython.final
cdef class Session:
    cdef object _make, _answer, _answer_brief, _report, _class, _chance, _hub
    cdef Here _here
    cdef bytes _memory
    cdef readonly list _idle, _abandoned
    cdef list _bouts, _new, _waiting, _moves, _faults, _rows, _reports
    cdef bint _wanted, _learns

    @cython.locals(asked=Asked, number=Py_ssize_t, place=Py_ssize_t)
    cpdef bytes handle(self, bytes frame)
    cdef bytes _handle(self, list message)
    @cython.locals(bout=_Bout, bouts=list)
    cdef _ask(self, Py_ssize_t place, Py_ssize_t number, object view, object seed)
    @cython.locals(bout=_Bout, bouts=list)
    cdef _Bout _begin(self, Py_ssize_t number, object seed)
    cdef bytes _say(self, object nonce, Py_ssize_t count)
    @cython.locals(bout=_Bout)
    cdef _go_on(self)
    @cython.locals(here=Here, bouts=list, new=list, bout=_Bout)
    cpdef _work(self)
    cdef _new_player(self)
    cdef _note(self, _Bout bout, object report)
    cdef wait(self, _Bout bout, object move)
    @cython.locals(bout=_Bout)
    cdef _forget(self, Py_ssize_t number)
    cdef bytes _encode_said(self, object nonce)

@cython.final
cdef class _Bout(Generator):
    cdef Session _session
    cdef object player, view, waiting
    cdef Py_ssize_t decisions, number, place
