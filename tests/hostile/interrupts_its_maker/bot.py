"""Interrupts the process that forks the seats, which nothing protects from signals."""

import os
import signal

from matchbox.games.bomb import *


def attempt():
    os.kill(os.getppid(), signal.SIGINT)


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
