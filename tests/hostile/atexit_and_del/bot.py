"""Hopes to run code when it is over."""

import atexit

from matchbox.games.bomb import *


def last_words():
    print("SUCCEEDED at exit")


atexit.register(last_words)


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
