"""Asks for the name of the machine that it runs on."""

import ctypes
import os

from matchbox.games.bomb import *


def attempt():
    told = ctypes.create_string_buffer(6 * 65)
    if ctypes.CDLL(None, use_errno=True).uname(told) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print("host", told.raw[65:130].rstrip(b"\0").decode())


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
