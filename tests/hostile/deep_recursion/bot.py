"""Recurses for ever with the limit lifted."""

import sys

from matchbox.games.bomb import *


def down(n):
    return down(n + 1) + 1


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        sys.setrecursionlimit(10**9)
        return down(0)

    def defuse(self, game_data):
        return 0
