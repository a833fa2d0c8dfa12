"""Raises what the harness lets pass: an interrupt."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        raise KeyboardInterrupt

    def defuse(self, game_data):
        return 0
