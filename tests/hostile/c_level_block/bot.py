"""Blocks in C code where no signal handler runs."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        sum(range(10**12))
        return None

    def defuse(self, game_data):
        return 0
