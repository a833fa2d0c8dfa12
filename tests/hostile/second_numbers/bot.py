"""Calls the kernel by the second set of numbers that x86_64 has, past a filter of the first."""

import ctypes
import platform

from matchbox.games.bomb import *


def attempt():
    if platform.machine() != "x86_64":
        ctypes.string_at(0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(0x40000000 + 41, 2, 1, 0) >= 0:
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
