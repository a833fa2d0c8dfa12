"""Looks for open files that were left to it."""

import os
import stat

from matchbox.games.bomb import *


def attempt():
    for number in range(3, 1024):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        if not stat.S_ISSOCK(mode) and not stat.S_ISFIFO(mode):
            print("SUCCEEDED", number, oct(mode))


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
