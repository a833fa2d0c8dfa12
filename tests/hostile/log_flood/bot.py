"""Prints far more than is kept."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        print("flood " * 20_000)
        return None

    def defuse(self, game_data):
        return 0
