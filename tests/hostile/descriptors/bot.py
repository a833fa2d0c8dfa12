"""Opens descriptors without end."""

import os

from matchbox.games.bomb import *


def attempt():
    opened = 0
    while opened < 4096:
        os.dup(1)
        opened += 1
    print("SUCCEEDED", opened)


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
