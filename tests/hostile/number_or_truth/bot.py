"""Answers with a truth where a number is asked for, which Python takes for one."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return True
