"""Answers through the harness with a list nested a thousand deep."""

import sys

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        deep = []
        for _ in range(900):
            deep = [deep]
        return deep

    def defuse(self, game_data):
        return 0
