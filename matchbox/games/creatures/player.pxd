cimport cython
from matchbox.games.creatures.codec cimport read_ask
from matchbox.games.creatures.memory cimport Now
from matchbox.games.creatures.seat_driver cimport SeatDriver

cdef Py_ssize_t BLOCK
cdef Now NOW

@cython.locals(driver=SeatDriver)
cpdef answer_brief(object player, bytes brief, object ask, bint keep=*)
