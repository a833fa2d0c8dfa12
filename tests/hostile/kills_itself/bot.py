"""Kills its own process, as a host without memory does, so that the match is void."""

import ctypes
import os
import signal

from matchbox.games.bomb import *


def attempt():
    os.kill(ctypes.CDLL(None).getpid(), signal.SIGKILL)


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
