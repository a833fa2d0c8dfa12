"""Waits for somebody to type."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return input("your move? ")

    def defuse(self, game_data):
        return 0
