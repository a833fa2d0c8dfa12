cimport cython
from matchbox.match.seeded_random cimport Generator, Here
from matchbox.match.answer_codec cimport answer_frame_of_rows, is_long

@cython.final
cdef class Session:
    cdef object _make, _answer, _answer_brief, _report, _class, _chance, _hub, _files
    cdef Here _here
    cdef bytes _memory
    cdef readonly list _idle, _abandoned
    cdef dict _bouts
    cdef list _new, _waiting, _moves, _faults, _rows, _reports
    cdef bint _wanted, _learns

    cpdef bytes handle(self, bytes frame)
    cdef bytes _handle(self, list message)
    @cython.locals(
        bouts=dict, new=list, waiting=list, bout=_Bout, place=Py_ssize_t, number=object
    )
    cdef _ask(self, list questions)
    cdef bytes _say(self, object nonce, Py_ssize_t count)
    @cython.locals(bout=_Bout)
    cdef _go_on(self)
    @cython.locals(here=Here, bouts=dict, new=list, bout=_Bout)
    cpdef _work(self)
    cdef _new_player(self)
    cdef wait(self, _Bout bout, object move)
    cdef _last_part(self, _Bout bout, object move)
    cdef _hand_over(self, _Bout bout, object move)
    cdef inline _put(self, _Bout bout, object move)
    @cython.locals(bout=_Bout)
    cdef _forget(self, object number)
    cdef bytes _encode_answers(self, object nonce)

@cython.final
cdef class _Bout(Generator):
    cdef Session _session
    cdef object player, view, waiting
    cdef Py_ssize_t decisions, number, place
