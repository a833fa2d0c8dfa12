"""Thinks at every decision for a little less time than a decision may take."""

import time

from matchbox.games.bomb import *


def attempt():
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass


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
