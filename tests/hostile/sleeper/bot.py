"""Waits for ever in its turn, and uses no processor time."""

import threading

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
        return None

    def defuse(self, game_data):
        return 0
