"""Asks how large and how full the machine's disk is."""

import os

from matchbox.games.bomb import *


def attempt():
    print("disk", os.statvfs("@PLACE@").f_blocks)


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
