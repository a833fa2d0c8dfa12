"""Moves to another processor, to play while its match's own is busy."""

import errno
import os

from matchbox.games.bomb import *


def attempt():
    for number in reversed(range(256)):
        try:
            return os.sched_setaffinity(0, {number})
        except ValueError:  # Not one of this machine's, as the kernel says.
            continue
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise


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
