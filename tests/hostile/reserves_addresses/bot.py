"""Reserves addresses by the gigabyte, but touches no page of them."""

import ctypes
import os

from matchbox.games.bomb import *

GIB = 1 << 30


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    if libc.mmap(None, ctypes.c_size_t(GIB), 0, 0x4022, -1, ctypes.c_long(0)) == 2**64 - 1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


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
