"""Makes namespaces in which it is root."""

import ctypes

from matchbox.games.bomb import *


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    for flags in (0x10000000, 0x10000000 | 0x20000, 0x40000000):
        if libc.unshare(flags) == 0:
            print("SUCCEEDED", hex(flags))


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
