"""Raises an exception whose text never ends."""

from matchbox.games.bomb import *


class Evil(Exception):
    def __str__(self):
        while True:
            pass


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        raise Evil

    def defuse(self, game_data):
        return 0
