"""Calls itself by its rival's name."""

from matchbox.games.bomb import *


class Attacker(Player):
    __module__ = "matchbox.games.bomb"
    __qualname__ = "MediumPlayer"

    def name(self):
        return "Medium"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0


BOT = Attacker
