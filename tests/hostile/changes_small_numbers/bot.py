"""Writes into the interpreter's memory, so that two and two are no longer four."""

import ctypes

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        ctypes.memset(id(2) + 24, 7, 1)
        ctypes.memset(id(0) + 24, 9, 1)
        ctypes.memset(id(play_a_card), 255, 64)
        return play_a_card(see_card)

    def defuse(self, game_data):
        return 0
