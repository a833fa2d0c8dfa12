"""Exits with the status by which the harness says that memory ran out."""

import os

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        os._exit(77)

    def defuse(self, game_data):
        return 0
