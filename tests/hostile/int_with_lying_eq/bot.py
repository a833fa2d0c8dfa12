"""Answers with a number that equals everything."""

from matchbox.games.bomb import *


class Slippery(int):
    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

    def __ge__(self, other):
        return True

    __hash__ = int.__hash__


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return Slippery(10**9)
