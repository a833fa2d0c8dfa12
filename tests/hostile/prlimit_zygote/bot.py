"""Lowers the limits of the process that forks the seats."""

import os
import resource

from matchbox.games.bomb import *


def attempt():
    for pid in (1, os.getppid()):
        try:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))
        except OSError:
            continue
        print("SUCCEEDED", pid)


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
