"""Measures how long its rival takes, by waiting for its own next question with a clock in hand."""

import os
import select
import sys
import time

from matchbox.games.bomb import *

CHANNEL = 3


def wait(frame, event, called):
    if event == "c_return" and called is os.write:  # The answer is sent.
        sys.setprofile(None)
        begun = time.monotonic()
        for _ in range(5000):
            if select.select([CHANNEL], [], [], 0.001)[0]:
                break
        print("waited", int((time.monotonic() - begun) * 1000))


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        sys.setprofile(wait)
        return None

    def defuse(self, game_data):
        return 0
