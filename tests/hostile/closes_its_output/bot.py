"""Closes the streams that the harness flushes."""

import sys

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        sys.stdout.close()
        sys.stderr.close()
        return None

    def defuse(self, game_data):
        return 0
