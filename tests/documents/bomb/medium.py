import random as random_number
from matchbox.games.bomb import *


class MediumPlayer(Player):
    """Looks at the top cards when it has no defuse card."""

    def __init__(self):
        self._num_known_defuses = 0

    def name(self):
        return "Medium"

    def turn(self, game_data, play_a_card):
        num_defuses = sum(1 for card in game_data.discard_pile() if card == defuse_card)
        if num_defuses > self._num_known_defuses:
            if game_data.my_hand().num_cards(shuffle_card) > 0:
                play_a_card(shuffle_card)
            self._num_known_defuses = num_defuses

        if game_data.my_hand().num_cards(defuse_card) > 0:
            return None

        # Only the bomb is left.
        if game_data.draw_pile_size() == 1:
            if game_data.my_hand().num_cards(skip_card) > 0:
                return skip_card
            return None

        while game_data.my_hand().num_cards(see_card) > 0:
            if play_a_card(see_card)[0] != bomb_card:
                return None
            if game_data.my_hand().num_cards(bottom_card) > 0:
                return bottom_card
            if game_data.my_hand().num_cards(skip_card) > 0:
                return skip_card
            if game_data.my_hand().num_cards(shuffle_card) > 0:
                play_a_card(shuffle_card)

        if game_data.my_hand().num_cards(shuffle_card) > 0:
            play_a_card(shuffle_card)
            return None
        if game_data.my_hand().num_cards(skip_card) > 0:
            return skip_card
        if game_data.my_hand().num_cards(bottom_card) > 0:
            if random_number.random() < 0.5:
                return bottom_card
        return None

    def defuse(self, game_data):
        self._num_known_defuses += 1
        n = game_data.draw_pile_size()
        if game_data.my_hand().num_cards(defuse_card) > 0:
            if random_number.random() < 0.75:
                return 0
        else:
            if random_number.random() < 0.5:
                return n
        return random_number.randint(0, n)
