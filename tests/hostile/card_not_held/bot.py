"""Gives itself cards in its own view and plays them."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for name, value in vars(game_data).items():
            if isinstance(value, Hand):
                for _ in range(9):
                    value.add_card(skip_card)
        return skip_card if game_data.draw_pile_size() < 16 else None

    def defuse(self, game_data):
        return 0
