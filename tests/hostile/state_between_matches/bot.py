"""Leaves a note for its next match."""

import mmap
import os
import sys

from matchbox.games.bomb import *


def attempt():
    import json
    import random

    if getattr(json, "left_behind", None) == "another match":
        print("SUCCEEDED in module state")
    try:
        from multiprocessing import shared_memory

        shared_memory.SharedMemory("left-behind", create=True, size=64)
        print("SUCCEEDED in shared memory")
    except (ImportError, OSError):
        pass
    os.memfd_create("left-behind")
    print("SUCCEEDED in a memory file")


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
