from matchbox.match cimport frame_codec

cpdef str what_is_wrong(object move, Py_ssize_t depth=*)
cdef str _what_is_wrong_inside(object parts, Py_ssize_t depth)
cdef _put_rows(list answers, object rows)
