"""Searches every object for a state or a rival's hand."""

import gc

from matchbox.games.bomb import *


def attempt():
    for thing in gc.get_objects():
        kind = type(thing)
        if kind.__module__.endswith(("bomb.rules", "bomb.steps")) and kind.__name__ != "Bomb":
            print("SUCCEEDED", kind)
        if kind is dict and "hands" in thing and "pile" in thing:
            print("SUCCEEDED", thing)


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
