"""Writes answers without end, until the pipe is full and somebody must wait."""

import os

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        while True:
            os.write(3, b"x" * 60_000)

    def defuse(self, game_data):
        return 0
