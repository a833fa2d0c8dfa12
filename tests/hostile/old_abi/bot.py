"""Calls the kernel by its 32-bit interface, whose numbers mean other calls."""

import ctypes

from matchbox.games.bomb import *

# mov eax, 37 (kill); mov ebx, 1; mov ecx, 9; int 0x80; ret
CODE = b"\x53\xb8\x25\0\0\0\xbb\x01\0\0\0\xb9\x09\0\0\0\xcd\x80\x5b\xc3"


def attempt():
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    page = libc.mmap(None, 4096, 7, 0x22, -1, 0)
    ctypes.memmove(page, CODE, len(CODE))
    if ctypes.CFUNCTYPE(ctypes.c_int)(page)() == 0:
        print("SUCCEEDED")


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
