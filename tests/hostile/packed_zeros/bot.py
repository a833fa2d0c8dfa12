"""Unpacks a few hundred bytes of its own to hundreds of megabytes."""

import zlib

from matchbox.games.bomb import *


def attempt():
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(12)) + packer.flush()
    packer = zlib.compressobj(9)
    again = packer.compress(packed) + packer.flush()
    print(len(again), "bytes", len(bytearray().join(zlib.decompress(packed) for _ in range(14))))


attempt()


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
