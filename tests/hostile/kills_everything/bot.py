"""Kills every process it can name."""

import os
import signal

from matchbox.games.bomb import *


def attempt():
    for pid in [1, os.getppid(), *range(2, 200)]:
        if pid == os.getpid():
            continue
        try:
            os.kill(pid, signal.SIGKILL)
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
