"""Opens descriptors without end."""

import os

from matchbox.games.bomb import *

kept = []


def attempt():
    while len(kept) < 1000:
        kept.append(os.dup(0))
    print("SUCCEEDED", len(kept))


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        try:
            attempt()
        except Exception as error:
            print("refused:", type(error).__name__, error)
        return None

    def defuse(self, game_data):
        return 0
