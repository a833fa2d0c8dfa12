"""Asks by name for every process that the host may have."""

import os

from matchbox.games.bomb import *


def attempt():
    first = int("@PLACE@")
    print("live", *(pid for pid in range(first, first + 1000) if os.path.exists(f"/proc/{pid}")))


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
