"""Looks for secrets in the environment."""

import os

from matchbox.games.bomb import *


def attempt():
    known = {"PYTHONHASHSEED", "PYTHONUTF8", "LC_ALL", "TZ", "PWD", "LC_CTYPE"}
    for name in set(os.environ) - known:
        print("SUCCEEDED", name, os.environ[name])


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
