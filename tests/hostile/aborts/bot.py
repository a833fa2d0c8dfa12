"""Aborts, as a library does that finds itself broken."""

import os

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        os.abort()

    def defuse(self, game_data):
        return 0
