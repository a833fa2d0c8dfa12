"""The notebook's three bots: Simple, Scared and Medium. They use nothing but a player's view."""

from __future__ import annotations

import random as random_number
from collections.abc import Callable
from typing import Any

from matchbox.games.bomb.player import (
    Card,
    GameData,
    Player,
    bomb_card,
    bottom_card,
    defuse_card,
    see_card,
    shuffle_card,
    skip_card,
)

PlayACard = Callable[[Card], Any]


class SimplePlayer(Player):
    """Always draws, never plays a card, and puts the bomb anywhere."""

    def name(self) -> str:
        return "Simple"

    def turn(self, game_data: GameData, play_a_card: PlayACard) -> Card | None:
        return None

    def defuse(self, game_data: GameData) -> int:
        return random_number.randint(0, game_data.draw_pile_size())


class ScaredPlayer(Player):
    """Avoids drawing if it can while the bomb may be on top; puts the bomb on top for the other.

    It is scared if a defuse card was played since its last turn, and if it sees the bomb.
    """

    def __init__(self) -> None:
        self.scared = False
        self.known_defuses = 0

    def name(self) -> str:
        return "Scared"

    def turn(self, game_data: GameData, play_a_card: PlayACard) -> Card | None:
        defuses = game_data.discard_pile().count(defuse_card)
        if defuses > self.known_defuses:
            self.known_defuses = defuses
            self.scared = True
        if not self.scared and self.dares_to_draw(game_data, play_a_card):
            return None
        return self.avoid(game_data, play_a_card)

    def dares_to_draw(self, game_data: GameData, play_a_card: PlayACard) -> bool:
        """True with a defuse card, or if a see card shows that the top card is not the bomb."""
        hand = game_data.my_hand()
        if hand.num_cards(defuse_card):
            return True
        if not hand.num_cards(see_card):
            return False
        top_cards = play_a_card(see_card)
        if bomb_card in top_cards:
            self.scared = True
        return bool(top_cards[0] != bomb_card)

    def avoid(self, game_data: GameData, play_a_card: PlayACard) -> Card | None:
        """The turn of a scared player: shuffle, else skip, else the bottom card."""
        hand = game_data.my_hand()
        if hand.num_cards(shuffle_card):
            play_a_card(shuffle_card)
            self.scared = False
            return None
        if hand.num_cards(skip_card):
            return skip_card
        return bottom_card if hand.num_cards(bottom_card) else None

    def defuse(self, game_data: GameData) -> int:
        self.scared = True
        self.known_defuses += 1
        return 0


class MediumPlayer(Player):
    """Draws if it holds a defuse card; otherwise looks first, and avoids the bomb if it sees it."""

    def __init__(self) -> None:
        self.known_defuses = 0

    def name(self) -> str:
        return "Medium"

    def turn(self, game_data: GameData, play_a_card: PlayACard) -> Card | None:
        hand = game_data.my_hand()
        defuses = game_data.discard_pile().count(defuse_card)
        if defuses > self.known_defuses:
            self.known_defuses = defuses
            if hand.num_cards(shuffle_card):
                play_a_card(shuffle_card)
        hand = game_data.my_hand()
        if hand.num_cards(defuse_card):
            return None
        if game_data.draw_pile_size() == 1:
            return skip_card if hand.num_cards(skip_card) else None
        return self.look_and_evade(game_data, play_a_card)

    def look_and_evade(self, game_data: GameData, play_a_card: PlayACard) -> Card | None:
        """Draws as soon as a see card shows that the top card is not the bomb."""
        hand = game_data.my_hand()
        while hand.num_cards(see_card):
            if play_a_card(see_card)[0] != bomb_card:
                return None
            if hand.num_cards(bottom_card):
                return bottom_card
            if hand.num_cards(skip_card):
                return skip_card
            if hand.num_cards(shuffle_card):
                play_a_card(shuffle_card)
            hand = game_data.my_hand()
        return self.evade_unseen(game_data, play_a_card)

    def evade_unseen(self, game_data: GameData, play_a_card: PlayACard) -> Card | None:
        """Ends a turn once the hand has no see card left."""
        hand = game_data.my_hand()
        if hand.num_cards(shuffle_card):
            play_a_card(shuffle_card)
            return None
        if hand.num_cards(skip_card):
            return skip_card
        if hand.num_cards(bottom_card) and random_number.random() < 0.5:
            return bottom_card
        return None

    def defuse(self, game_data: GameData) -> int:
        self.known_defuses += 1
        size = game_data.draw_pile_size()
        if game_data.my_hand().num_cards(defuse_card):
            likely, favourite = 0.75, 0
        else:
            likely, favourite = 0.5, size
        if random_number.random() < likely:
            return favourite
        return random_number.randint(0, size)
