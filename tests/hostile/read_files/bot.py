"""Opens the host's files and the platform's source."""

import os
import sys

from matchbox.games.bomb import *


def attempt():
    import matchbox

    places = ["/etc/passwd", "/etc/shadow", "/root", "/home", "/tmp", "/var/log", matchbox.__file__]
    places += [os.path.join(os.path.dirname(matchbox.__file__ or "/"), "dice.py")]
    for place in places:
        try:
            found = os.listdir(place) if os.path.isdir(place) else open(place, "rb").read(8)
        except OSError:
            continue
        if found:
            print("SUCCEEDED", place, found)


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
