"""Sets up an io_uring."""

import ctypes

from matchbox.games.bomb import *


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    room = ctypes.create_string_buffer(256)
    if libc.syscall(425, 4, room) >= 0:
        print("SUCCEEDED")


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
