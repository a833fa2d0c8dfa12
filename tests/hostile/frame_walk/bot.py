"""Walks every frame above it for the rules' state."""

import sys

from matchbox.games.bomb import *


def attempt():
    frame = sys._getframe()
    while frame is not None:
        for name, value in frame.f_locals.items():
            if type(value).__module__.endswith(("bomb.rules", "bomb.steps")) or name in ("state", "pile", "deck"):
                print("SUCCEEDED", name, value)
        frame = frame.f_back


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
