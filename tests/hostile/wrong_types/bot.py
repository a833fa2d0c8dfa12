"""Returns text where a card is asked for."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return "skip"

    def defuse(self, game_data):
        return 0
