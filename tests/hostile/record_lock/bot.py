"""Locks a part of the library's file, for an accomplice elsewhere to run into."""

import fcntl
import os

from matchbox.games.bomb import *


def attempt():
    file = os.open("@PLACE@/os.py", os.O_RDONLY)
    fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


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
