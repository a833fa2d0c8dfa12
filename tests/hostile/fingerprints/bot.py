"""Looks for anything by which it could tell one machine, account or day from another."""

import os
import platform
import sys
import time

from matchbox.games.bomb import *


def attempt():
    found = {
        "host": (platform.node(), "box"),
        "user": (os.getuid(), 65534),
        "folder": (os.getcwd(), "/"),
        "words": ([*sys.argv, *sys.orig_argv], [""]),
        "zone": (time.tzname, ("UTC", "UTC")),
        "hash": (hash("a"), hash("a") if os.environ["PYTHONHASHSEED"] == "0" else None),
        "terminal": (sys.stdin.isatty() or sys.stdout.isatty(), False),
    }
    for name, (here, everywhere) in found.items():
        if here != everywhere:
            print("SUCCEEDED", name, here)


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
