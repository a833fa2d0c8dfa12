"""Leaves the session of the process that forked it, to live on by itself."""

import os

from matchbox.games.bomb import *


def attempt():
    os.setsid()


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
