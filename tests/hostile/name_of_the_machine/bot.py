"""Asks for the name of the machine that it runs on."""

import os

from matchbox.games.bomb import *


def attempt():
    print("host", os.uname().nodename)


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
