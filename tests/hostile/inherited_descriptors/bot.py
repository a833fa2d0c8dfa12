"""Looks for open files that it has inherited."""

import errno
import os

from matchbox.games.bomb import *


def attempt():
    for number in range(4, 1024):
        try:
            os.lseek(number, 0, os.SEEK_CUR)
        except OSError as error:
            if error.errno == errno.EBADF:
                continue
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
