"""Bomb, a card game for two: the names of the source notebook for authors of players.

import random as random_number
from matchbox.games.bomb import *
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matchbox.games.bomb.player import (
    Card,
    GameData,
    Hand,
    Player,
    bomb_card,
    bottom_card,
    card_list,
    defuse_card,
    nothing_card,
    see_card,
    shuffle_card,
    skip_card,
)
from matchbox.games.bomb.players import MediumPlayer, ScaredPlayer, SimplePlayer

__all__ = [
    "Card",
    "GameData",
    "Hand",
    "HumanPlayer",
    "MediumPlayer",
    "Player",
    "ScaredPlayer",
    "SimplePlayer",
    "bomb_card",
    "bottom_card",
    "card_list",
    "defuse_card",
    "nothing_card",
    "play_game",
    "see_card",
    "shuffle_card",
    "skip_card",
]


class HumanPlayer(Player):
    """A human at the terminal. A box has no terminal, so there its methods fail."""

    others: Mapping[int, str] = {}
    """The names of the other players by seat, if their moves are shown as they happen."""

    def __init__(self) -> None:
        self.known_cards = 0
        """The size of the discard pile at the end of the player's previous turn."""

    def name(self) -> str:
        return "Human"

    def turn(self, game_data: GameData, play_a_card: Callable[[Card], Any]) -> Card | None:
        from matchbox.games.bomb import terminal

        chosen = terminal.ask_for_turn(game_data, play_a_card, self.known_cards, self.others)
        self.known_cards = len(game_data.discard_pile()) + (chosen is not None)
        return chosen

    def defuse(self, game_data: GameData) -> int:
        from matchbox.games.bomb import terminal

        self.known_cards = len(game_data.discard_pile())
        return terminal.ask_for_place(game_data, self.others)


def play_game(
    player0: Player, player1: Player, print_details: bool = True, raise_exceptions: bool = True
) -> int:
    """Plays one game in this process; returns the winner, 0 or 1.

    Random numbers come from the module `random`, so `random.seed` repeats a game. With
    `print_details` the transcript is printed. With `raise_exceptions` a player's fault is raised;
    without it, that player just loses.
    """
    from matchbox.games.bomb import terminal

    return terminal.play_game(player0, player1, print_details, raise_exceptions)
