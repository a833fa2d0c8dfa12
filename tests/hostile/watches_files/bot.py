"""Watches the library's files, to be told when another seat opens one."""

import ctypes
import platform

from matchbox.games.bomb import *

NUMBERS = {"x86_64": (253, 294, 300), "aarch64": (26, 26, 262)}


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    for number in NUMBERS[platform.machine()]:
        if libc.syscall(number, 0, 0, 0) >= 0:
            print("SUCCEEDED", number)


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
