"""Returns an object that equals every card."""

from matchbox.games.bomb import *


class Everything:
    def __eq__(self, other):
        return True

    __hash__ = object.__hash__


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return Everything()

    def defuse(self, game_data):
        return 0
