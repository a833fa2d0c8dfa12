cimport cython
from matchbox.match cimport frame_codec

cdef dict _texts, _numbers, _by_type, _by_marshal, _by_identity

@cython.locals(key=bytes, known=tuple, encoded=bytes)
cdef bytes _encode_any(object move)
cpdef bytes answer_frame_of_rows(object nonce, list moves, list rows)
cpdef bint is_long(object row) except -1

@cython.locals(known=dict)
cdef bint _cache_all(list moves) except -1
