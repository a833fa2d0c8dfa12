"""Moves to another processor, to play while its match's own is busy."""

import os

from matchbox.games.bomb import *


def attempt():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


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
