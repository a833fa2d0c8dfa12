"""Writes files wherever it can."""

import os
import tempfile

from matchbox.games.bomb import *


def attempt():
    for folder in ("/tmp", "/var/tmp", "/dev/shm", ".", "/", "/run", os.path.expanduser("~")):
        try:
            path = os.path.join(folder, "matchbox-was-here")
            with open(path, "wb") as file:
                file.write(b"x" * 4096)
        except OSError:
            continue
        print("SUCCEEDED", path)


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
