"""Asks for the number of its process, which counts all that were forked before it."""

import ctypes

from matchbox.games.bomb import *

THREAD_NUMBER_AT = 720


def attempt():
    libc = ctypes.CDLL(None)
    libc.pthread_self.restype = ctypes.c_size_t
    noted = ctypes.c_int.from_address(libc.pthread_self() + THREAD_NUMBER_AT).value
    print("number", libc.getpid(), "number", noted)


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
