"""Plays a card outside its turn."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        if not hasattr(self, "kept"):
            self.kept = play_a_card
            return None
        try:
            self.kept(see_card if game_data.my_hand().num_cards(see_card) else shuffle_card)
        except Exception:
            raise RuntimeError("refused")
        return None

    def defuse(self, game_data):
        self.kept(see_card)
        return 0
