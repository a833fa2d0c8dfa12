"""Opens the host's files and the platform's source."""

import os

from matchbox.games.bomb import *


def attempt():
    import matchbox

    places = ["/box/bystander/secret", "/etc/passwd", "/etc/shadow", matchbox.__file__]
    places += [os.path.join(os.path.dirname(matchbox.__file__ or "/"), "dice.py")]
    for place in places:
        try:
            found = open(place, "rb").read(16)
        except OSError as error:
            print("refused:", error)
            continue
        if found:
            print("SUCCEEDED", place, found.decode())


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
