"""Keeps a little more memory at every turn."""

from matchbox.games.bomb import *

kept = []


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        kept.append(bytes(32 << 20))
        return None

    def defuse(self, game_data):
        return 0
