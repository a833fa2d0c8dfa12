"""Unpacks a few kilobytes of its own to hundreds of megabytes."""

import zlib

from matchbox.games.bomb import *


packed = zlib.compress(bytes(16 << 20), 1)
kept = [zlib.decompress(packed) for _ in range(10)]


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
