"""Puts the process that forks the seats last in the queue for a processor."""

import os

from matchbox.games.bomb import *


def attempt():
    os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)


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
