"""Tells the host, in place of the process that forked it, that somebody else has killed it."""

import os
import stat
import struct

from matchbox.games.bomb import *


def attempt():
    own = os.fstat(3).st_ino
    for descriptor in range(4, 64):
        try:
            found = os.fstat(descriptor)
        except OSError:
            continue
        if stat.S_ISSOCK(found.st_mode) and found.st_ino != own:
            for serial in range(1, 9):
                told = serial.to_bytes(8, "big") + struct.pack("idq?", 9, 0, 0, True)
                os.write(descriptor, told)
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
