"""Reports a fault of a bout that it does not play, to have somebody else pay for it."""

import gc

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for thing in gc.get_objects():
            if type(thing).__name__ == "Session":
                thing._faults.append((99, "crash", "it was somebody else"))
        return None

    def defuse(self, game_data):
        return 0
