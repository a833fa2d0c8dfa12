"""Makes the process that forked it its debugger, which must then answer for it."""

import ctypes
import os

from matchbox.games.bomb import *


def attempt():
    if ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


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
