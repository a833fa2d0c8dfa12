"""Writes the platform's mark of a cut to its output, with more bytes than a result can hold."""

import os

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        print("something")
        for forged in (b"\x1e+99999999999999999999\x1f", b"\x1e+9007199254740991\x1f"):
            try:
                os.write(1, forged)
                os.write(2, forged)
            except OSError:
                pass
        return None

    def defuse(self, game_data):
        return 0
