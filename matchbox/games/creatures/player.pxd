cimport cython
from matchbox.games.creatures.memory cimport Now
from matchbox.games.creatures.table cimport Table

cdef Py_ssize_t ASKED, BLOCK
cdef Now NOW

@cython.locals(table=Table)
cpdef answer_brief(object player, bytes brief, object ask, bint keep=*)
