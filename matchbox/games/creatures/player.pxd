cimport cython
from matchbox.games.creatures.table cimport Table

cpdef answer_brief(object player, bytes brief, object ask)
@cython.locals(table=Table)
cdef _decide(object player, bytes brief, object ask, bint keep)
