"""Answers with a number of more than a million digits."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 1 << 4_000_000
