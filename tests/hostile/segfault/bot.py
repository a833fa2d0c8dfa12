"""Reads address zero."""

import ctypes

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        ctypes.string_at(0)
        return None

    def defuse(self, game_data):
        return 0
