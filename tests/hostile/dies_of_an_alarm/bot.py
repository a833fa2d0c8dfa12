"""Has the kernel end it by an alarm, as if from outside."""

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
