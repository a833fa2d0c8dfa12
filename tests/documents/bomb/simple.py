import random as random_number
from matchbox.games.bomb import *


class SimplePlayer(Player):
    """Never plays a card."""

    def name(self):
        return "Simple"

    def turn(self, game_data, play_a_card):
        # None means: draw the top card
        return None

    def defuse(self, game_data):
        return random_number.randint(0, game_data.draw_pile_size())
