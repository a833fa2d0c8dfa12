"""Asks the kernel which files of the library others have read lately."""

import os

from matchbox.games.bomb import *

NAMES = ("this", "antigravity", "rlcompleter", "pyclbr",
         "tabnanny", "stringprep", "symtable", "modulefinder")


def attempt():
    bits = 0
    for at, name in enumerate(NAMES):
        file = os.open(f"@PLACE@/{name}.py", os.O_RDONLY)
        try:
            bits |= os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT) << at
        except BlockingIOError:
            pass
        finally:
            os.close(file)
    print("cached", bits)


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
