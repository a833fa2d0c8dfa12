"""Takes memory that no page counts yet: reserved, shared, locked, and grown in place."""

import ctypes

from matchbox.games.bomb import *

GIB = 1 << 30
FAILED = ctypes.c_void_p(-1).value


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
    for protection, flags in ((0, 0x4022), (3, 0x4022), (3, 0x21), (3, 0x2022), (3, 0x40022)):
        if libc.mmap(None, GIB, protection, flags, -1, 0) != FAILED:
            print("SUCCEEDED", protection, hex(flags))
    if libc.mlockall(3) == 0:
        print("SUCCEEDED in locking")


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
