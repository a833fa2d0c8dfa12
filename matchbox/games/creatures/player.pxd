cimport cython
from matchbox.games.creatures.codec cimport read_ask
from matchbox.games.creatures.memory cimport Now
from matchbox.games.creatures.table cimport Table

cdef Py_ssize_t BLOCK
cdef Now NOW

@cython.locals(table=Table)
cpdef answer_brief(object player, bytes brief, object ask, bint keep=*)
