"""Takes all the memory there is."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        self.kept = [bytearray(16 << 20) for _ in range(11)]
        return None

    def defuse(self, game_data):
        return 0
