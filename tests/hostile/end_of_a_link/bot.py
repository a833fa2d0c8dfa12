"""Reads where a link on the host leads, which can be read without opening a file."""

import os

from matchbox.games.bomb import *


def attempt():
    print("leads to", os.readlink("@PLACE@"))


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
