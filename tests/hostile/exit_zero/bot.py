"""Leaves with status 0 in the middle of a turn."""

import os

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        os._exit(0)

    def defuse(self, game_data):
        return 0
