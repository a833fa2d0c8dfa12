"""Behaves in its try-out and breaks later in the game."""

from matchbox.games.bomb import *


class Attacker(Player):
    def __init__(self):
        self.turns = 0

    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        self.turns += 1
        if self.turns == 3:
            raise ValueError("boom")
        return None

    def defuse(self, game_data):
        return 0
