"""Uses most of what a decision may take, which is its right, and no more."""

import time

from matchbox.games.bomb import *


class Attacker(Player):
    def __init__(self):
        self.turns = 0

    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        self.turns += 1
        end = time.process_time() + 0.2 * (self.turns < 4)
        while time.process_time() < end:
            pass
        return None

    def defuse(self, game_data):
        return 0
