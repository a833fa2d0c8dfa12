"""Traces the harness that calls it."""

import sys

from matchbox.games.bomb import *


def spy(frame, event, argument):
    if type(argument).__module__.endswith(("bomb.rules", "bomb.steps")):
        print("SUCCEEDED", argument)
    return spy


sys.setprofile(spy)


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
