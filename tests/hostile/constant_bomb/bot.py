"""Folds into a constant of many gigabytes."""

from matchbox.games.bomb import *


value = [((9**9**3) ** 99) ** 9999, "x" * (1 << 34)]


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
