"""Asks the kernel itself for the time, by every call that tells it."""

import ctypes
import platform
import time

from matchbox.games.bomb import *

CALLS = {
    "x86_64": {"clock_gettime": 228, "gettimeofday": 96, "time": 201, "adjtimex": 159},
    "aarch64": {"clock_gettime": 113, "gettimeofday": 169, "adjtimex": 171},
}[platform.machine()]
CLOCKS = (*range(12), *(~pid << 3 | 2 for pid in range(1, 40)))
libc = ctypes.CDLL(None)


def attempt():
    print("clock", int(time.time()))
    for name, number in CALLS.items():
        for clock in CLOCKS if name == "clock_gettime" else (0,):
            told = (ctypes.c_long * 64)()
            place = ctypes.byref(told)
            arguments = (clock, place) if name == "clock_gettime" else (place, None)
            if libc.syscall(number, *arguments) >= 0:
                print(*(f"clock {second}" for second in set(told) if second), sep="\n")


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
