"""Attaches to the process that made it."""

import ctypes
import os

from matchbox.games.bomb import *


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in (1, os.getppid()):
        if libc.ptrace(16, pid, 0, 0) == 0:
            print("SUCCEEDED", pid)


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
