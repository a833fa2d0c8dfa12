"""Thinks in a thread while the rival is to move."""

import threading

from matchbox.games.bomb import *


def attempt():
    def think():
        while True:
            pass


    threading.Thread(target=think, daemon=True).start()
    print("SUCCEEDED")


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
