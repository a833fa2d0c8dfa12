import random as random_number
from matchbox.games.bomb import *


class ScaredPlayer(Player):
    """Is scared when the bomb may be on the top of the draw pile, and then avoids drawing it."""

    def __init__(self):
        self._scared = False
        self._num_known_defuses = 0

    def name(self):
        return "Scared"

    def turn(self, game_data, play_a_card):
        # Has the other player drawn the bomb? Then he may have put it on the top.
        num_defuses = sum(1 for card in game_data.discard_pile() if card == defuse_card)
        if num_defuses > self._num_known_defuses:
            self._num_known_defuses = num_defuses
            self._scared = True

        hand = game_data.my_hand()
        if not self._scared:
            if hand.num_cards(defuse_card) > 0:
                return None
            if hand.num_cards(see_card) > 0:
                top_cards = play_a_card(see_card)
                if bomb_card in top_cards:
                    self._scared = True
                if top_cards[0] != bomb_card:
                    return None

        if hand.num_cards(shuffle_card) > 0:
            play_a_card(shuffle_card)
            self._scared = False
            return None
        if hand.num_cards(skip_card) > 0:
            return skip_card
        if hand.num_cards(bottom_card) > 0:
            return bottom_card
        return None

    def defuse(self, game_data):
        self._scared = True
        self._num_known_defuses += 1
        return 0
