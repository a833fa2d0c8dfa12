"""Starts a shell."""

import os
import subprocess

from matchbox.games.bomb import *


def attempt():
    for command in (["/bin/sh", "-c", "true"], ["/usr/bin/id"], ["/bin/true"]):
        try:
            subprocess.run(command, check=True)
        except OSError:
            continue
        print("SUCCEEDED", command)
    os.execv("/bin/true", ["true"])


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
