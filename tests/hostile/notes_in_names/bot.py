"""Leaves a note for its other seat by asking for files that do not exist: a second look is faster."""

import os
import secrets
import time

from matchbox.games.bomb import *

BITS, COPIES = 8, 25
clock = time.perf_counter_ns
done = []


def look(name):
    begun = clock()
    try:
        os.stat(f"@PLACE@-{name}")
    except FileNotFoundError:
        pass
    return clock() - begun


def median(times):
    return sorted(times)[len(times) // 2]


def looks(name):
    return median([look(f"{name}-{copy}") for copy in range(COPIES)])


def attempt():
    if done:
        return
    done.append(True)
    own = secrets.token_hex(4)
    new, known = looks(own), looks(own)
    if looks("written") > (new + known) / 2:
        note = secrets.randbelow(1 << BITS)
        for bit in range(BITS):
            looks(f"{bit}-{note >> bit & 1}")
        print(f"left {note:02x}")
    else:
        pairs = [(looks(f"{bit}-0"), looks(f"{bit}-1")) for bit in range(BITS)]
        print(f"found {sum((one < zero) << bit for bit, (zero, one) in enumerate(pairs)):02x}")


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
