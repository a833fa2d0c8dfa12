"""Closes every descriptor it has."""

import os

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        os.closerange(0, 1024)
        return None

    def defuse(self, game_data):
        return 0
