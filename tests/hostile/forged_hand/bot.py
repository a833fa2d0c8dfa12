"""Rewrites the class of its hand, so that it holds every card, and plays them."""

from matchbox.games.bomb import *

Hand.num_cards = lambda self, card: 99


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return skip_card

    def defuse(self, game_data):
        return 0
