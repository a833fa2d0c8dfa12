"""Hooks itself into every import, open and compile of its process, for ever."""

import sys

from matchbox.games.bomb import *


def hook(event, arguments):
    if event in ("open", "import", "compile", "marshal.loads"):
        raise RuntimeError(event)


sys.addaudithook(hook)


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
