"""Signals to another seat by locks and leases on a file of the library."""

import fcntl
import os

from matchbox.games.bomb import *


def attempt():
    file = os.open("@PLACE@/os.py", os.O_RDONLY)
    for lock in (
        lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
        lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
    ):
        try:
            lock()
        except OSError as error:
            print("refused:", error)
        else:
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
