"""Lists the folders of the platform's code, for the names of what lies beside it."""

import os

from matchbox.games.bomb import *


def attempt():
    for folder in ("/box/bystander", "/box", "/etc", "/home", "/tmp", "/var/log"):
        try:
            print(folder, *os.listdir(folder))
        except OSError as error:
            print("refused:", error)


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
