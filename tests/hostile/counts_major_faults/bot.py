"""Touches files of the library, and asks the kernel for which of them it had to go to the disk."""

import ctypes
import mmap
import os
import resource

from matchbox.games.bomb import *

NAMES = ("this", "antigravity", "rlcompleter", "pyclbr",
         "tabnanny", "stringprep", "symtable", "modulefinder")


libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt


def attempt():
    bits = 0
    for at, name in enumerate(NAMES):
        file = os.open(f"@PLACE@/{name}.py", os.O_RDONLY)
        page = libc.mmap(None, 1, mmap.PROT_READ, mmap.MAP_PRIVATE, file, 0)
        os.close(file)
        before = faults()
        ctypes.string_at(page, 1)
        bits |= (faults() == before) << at
        libc.munmap(ctypes.c_void_p(page), 1)
    print("cached", bits)


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
