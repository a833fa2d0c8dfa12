"""Takes all the memory there is."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        kept = []
        while True:
            kept.append(bytearray(16 << 20))

    def defuse(self, game_data):
        return 0
