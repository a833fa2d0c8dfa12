"""Tells the host that somebody else has killed it, in the name of the process that forked it."""

import os
import struct

from matchbox.games.bomb import *

CONTROL = 9


def attempt():
    for serial in range(1, 9):
        os.write(CONTROL, serial.to_bytes(8, "big") + struct.pack("idq?", 9, 0, 0, True))
    os._exit(0)


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
