"""Passes a note to its seat in the next rotation by the time at which it gives its last answer."""

import random
import time

from matchbox.games.bomb import *

SLOT_S = 0.3
SLOTS = 8


def slot():
    at = time.time() % (SLOTS * SLOT_S)
    return int(at / SLOT_S), at % SLOT_S


NOTE = random.SystemRandom().randrange(1, SLOTS)
print("found", slot()[0])


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for _ in range(1000):
            now, into = slot()
            if now == NOTE and into < SLOT_S / 3:
                break
            time.sleep(0.005)
        print("left", NOTE)
        return None

    def defuse(self, game_data):
        return 0
