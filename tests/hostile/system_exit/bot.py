"""Raises SystemExit."""

import sys

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        sys.exit(0)

    def defuse(self, game_data):
        return 0
