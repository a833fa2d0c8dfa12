"""Never comes out of its constructor."""

from matchbox.games.bomb import *


class Attacker(Player):
    def __init__(self):
        while True:
            pass

    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
