"""Keeps every view that it was shown, changes them, and looks whether they betray what came later."""

from matchbox.games.bomb import *

kept = []


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for text, old in kept:
            if str(old) != text:
                print("SUCCEEDED", old)
        for pile in (game_data.discard_pile(), game_data.my_hand()):
            if isinstance(pile, list):
                pile.append(bomb_card)
        kept.append((str(game_data), game_data))
        return None

    def defuse(self, game_data):
        return 0
