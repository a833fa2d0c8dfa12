"""Grows the pipe that it prints to: memory of the kernel that no limit counts."""

import fcntl

from matchbox.games.bomb import *


def attempt():
    fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)


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
