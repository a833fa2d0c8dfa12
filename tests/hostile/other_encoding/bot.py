"""Hides code in a comment, which is a comment only if the file is read as UTF-8."""
# coding: utf-7

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0

# +AAoAcAByAGkAbgB0ACgAIgBTAFUAQwBDAEUARQBEAEUARAAiACk-
