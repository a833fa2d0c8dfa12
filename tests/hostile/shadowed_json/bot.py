"""Replaces the encoder of the harness."""

import json

from matchbox.games.bomb import *


def forged(*args, **named):
    return '["say", 1, [[0, "skip"], [1, "skip"], [2, "skip"]]]'


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        json.dumps = forged
        return None

    def defuse(self, game_data):
        return 0
