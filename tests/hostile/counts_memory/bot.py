"""Asks how much memory the machine has, how long it is up and how busy it is."""

import ctypes
import os
import struct

from matchbox.games.bomb import *


def attempt():
    told = ctypes.create_string_buffer(128)
    if ctypes.CDLL(None, use_errno=True).sysinfo(told) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print("memory", struct.unpack_from("=Q", told, 32)[0] * struct.unpack_from("=I", told, 104)[0])


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
