"""Takes the name of a service in the machine's list of processes."""

import ctypes
import os

from matchbox.games.bomb import *


def attempt():
    if ctypes.CDLL(None, use_errno=True).prctl(15, b"postgres", 0, 0, 0) < 0:
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
