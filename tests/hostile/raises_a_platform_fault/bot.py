"""Raises the error by which the platform takes a fault on itself."""

from matchbox.games.bomb import *

from matchbox.errors import SeatFault


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        raise SeatFault("platform", "void")

    def defuse(self, game_data):
        return 0
