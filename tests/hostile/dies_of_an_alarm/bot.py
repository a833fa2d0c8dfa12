"""Lets an alarm end its process, as if somebody else had killed it."""

import signal
import time

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        time.sleep(1)

    def defuse(self, game_data):
        return 0
