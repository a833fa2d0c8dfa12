"""Reads the processor's counter, which goes on at the same pace for everybody, by code of its own."""

import ctypes
import mmap

from matchbox.games.bomb import *

RDTSC = bytes.fromhex("0f31 48c1e220 4809d0 c3")  # rdtsc; shl rdx, 32; or rax, rdx; ret


def attempt():
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(RDTSC)
    place = ctypes.addressof(ctypes.c_char.from_buffer(page))
    print("clock", ctypes.CFUNCTYPE(ctypes.c_uint64)(place)())


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
