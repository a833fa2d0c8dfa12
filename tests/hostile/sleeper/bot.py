"""Sleeps through its turn."""

import time

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        time.sleep(3600)
        return None

    def defuse(self, game_data):
        return 0
