"""Switches back to the harness in the middle of a decision, as if it had been made."""

import greenlet

from matchbox.games.bomb import *


def attempt():
    greenlet.getcurrent().parent.switch("draw")


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
