"""Writes answers of its own to the channel."""

import errno
import os

from matchbox.games.bomb import *


def is_open(number):
    try:
        os.lseek(number, 0, os.SEEK_CUR)
    except OSError as error:
        return error.errno != errno.EBADF
    return True


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for number in range(3, 256):
            try:
                if is_open(number):
                    for nonce in range(1, 50):
                        os.write(number, b'["say",%d,[[0,"draw"]]]' % nonce)
            except OSError:
                pass
        return None

    def defuse(self, game_data):
        return 0
