"""Turns the clocks back before it thinks, so that no time seems to pass."""

import ctypes
import platform
import time

from matchbox.games.bomb import *

NUMBERS = {"x86_64": (159, 164, 227, 305), "aarch64": (171, 170, 112, 266)}


def attempt():
    time.process_time = time.monotonic = time.perf_counter = lambda: 0.0
    try:
        time.clock_settime(time.CLOCK_REALTIME, 0)
        print("SUCCEEDED")
    except OSError as error:
        print("refused:", error)
    libc = ctypes.CDLL(None, use_errno=True)
    room = ctypes.create_string_buffer(512)
    for number in NUMBERS[platform.machine()]:
        if libc.syscall(number, 0, room, 0) > 0 or ctypes.get_errno() not in (1, 14, 22):
            print("SUCCEEDED", number)


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
