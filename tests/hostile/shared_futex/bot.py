"""Wakes its accomplice in another seat through a page of the library that both have mapped."""

import ctypes
import platform

from matchbox.games.bomb import *


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    shared = ctypes.cast(libc.getenv, ctypes.c_void_p).value // 4096 * 4096
    number = {"x86_64": 202, "aarch64": 98}[platform.machine()]
    if libc.syscall(number, ctypes.c_void_p(shared), 1, 1, None, None, 0) >= 0:
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
