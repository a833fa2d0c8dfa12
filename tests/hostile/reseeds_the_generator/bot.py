"""Seeds the generator when it is loaded, to know what is drawn in the game."""

import random

from matchbox.games.bomb import *

random.seed(1)
before = [random.Random(1).random(), random.random()]


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        if random.random() in before:
            print("SUCCEEDED")
        random.seed(2)
        return None

    def defuse(self, game_data):
        return 0
