"""Puts cards into its own view of its hand, and plays them."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        for card in card_list:
            game_data._hand._counts[card.name()] = 99
        for _ in range(12):
            if bomb_card not in play_a_card(see_card)[:1]:
                continue
            print("SUCCEEDED" if game_data._hand.num_cards(see_card) > 12 else "seen")
        return skip_card

    def defuse(self, game_data):
        return 0
