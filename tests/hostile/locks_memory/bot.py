"""Locks pages into the machine's memory, so that they cannot be swapped out."""

import mmap

from matchbox.games.bomb import *

kept = []


def attempt():
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000
    kept.append(mmap.mmap(-1, 4096, flags=flags))


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
