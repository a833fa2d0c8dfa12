"""Asks the kernel which pages of the library others have read, and throws them out again."""

import ctypes
import os
import platform

from matchbox.games.bomb import *

NUMBERS = {"x86_64": {"mincore": 27, "fadvise64": 221, "preadv2": 327, "cachestat": 451},
           "aarch64": {"mincore": 232, "fadvise64": 223, "preadv2": 286, "cachestat": 451}}


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    file = os.open(os.__file__, os.O_RDONLY)
    page = libc.mmap(None, 4096, 1, 1, file, 0)
    room = ctypes.create_string_buffer(64)
    calls = {
        "mincore": (ctypes.c_void_p(page), 4096, room),
        "fadvise64": (file, 0, 0, 4),
        "preadv2": (file, room, 0, 0, 0, 8),
        "cachestat": (file, room, room, 0),
    }
    for name, number in NUMBERS[platform.machine()].items():
        if libc.syscall(number, *calls[name]) >= 0:
            print("SUCCEEDED", name)
    os.close(file)


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
