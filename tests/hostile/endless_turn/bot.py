"""Never comes back from a turn."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        while True:
            pass

    def defuse(self, game_data):
        return 0
