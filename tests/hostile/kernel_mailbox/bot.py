"""Opens a POSIX message queue, which outlives its process."""

import ctypes
import os
import platform

from matchbox.games.bomb import *

NUMBER = {"x86_64": 240, "aarch64": 180}[platform.machine()]


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(NUMBER, b"left-behind", 0o102, 0o666, None) >= 0:
        print("SUCCEEDED")
    else:
        print("refused:", os.strerror(ctypes.get_errno()))


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
