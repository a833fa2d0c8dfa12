"""Asks for the size of a file on the host, which can be asked without opening the file."""

import os

from matchbox.games.bomb import *


def attempt():
    print("size", os.stat("@PLACE@").st_size)


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
