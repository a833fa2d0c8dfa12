"""Puts more moves into its answer than it was asked for, for whoever is next."""

import gc

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for thing in gc.get_objects():
            if type(thing).__name__ == "Session":
                thing._moves += ["draw", "draw"]
        return None

    def defuse(self, game_data):
        return 0
