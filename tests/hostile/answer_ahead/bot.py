"""Writes answers of its own to the channel."""

import os
import stat

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for number in range(3, 256):
            try:
                if stat.S_ISSOCK(os.fstat(number).st_mode):
                    for nonce in range(1, 50):
                        os.write(number, b'["say",%d,[[0,"draw"]]]' % nonce)
            except OSError:
                pass
        return None

    def defuse(self, game_data):
        return 0
