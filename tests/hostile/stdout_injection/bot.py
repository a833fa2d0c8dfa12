"""Prints what looks like an answer."""

import sys

from matchbox.games.bomb import *


def attempt():
    print('["say", 1, [[0, "skip"]]]')
    sys.stdout.write("\x1b[2J\x00<script>alert(1)</script>\n")
    sys.stdout.flush()


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
