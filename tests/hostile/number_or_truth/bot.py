"""Answers with True where a number is asked for: in Python, True is the number 1."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return True
