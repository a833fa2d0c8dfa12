"""The creature duel, for two: the names of the source document for authors of players.

from matchbox.games.creatures import *
"""

from __future__ import annotations

from collections.abc import Mapping

from matchbox.games.creatures import jsonlog
from matchbox.games.creatures.battle import battle, destroy, full_turn
from matchbox.games.creatures.board import GameControl
from matchbox.games.creatures.card import Card, deck, find_by_name
from matchbox.games.creatures.mana import Mana
from matchbox.games.creatures.parsing import get_victory_key, parse_log
from matchbox.games.creatures.player import Player
from matchbox.games.creatures.players import AutoPilot, StillLearning
from matchbox.games.creatures.prompts import block_prompt, turn_prompt

__all__ = [
    "AutoPilot",
    "Card",
    "GameControl",
    "HumanPlayer",
    "Mana",
    "Player",
    "StillLearning",
    "battle",
    "deck",
    "destroy",
    "find_by_name",
    "full_turn",
    "get_victory_key",
    "jsonlog",
    "parse_log",
    "play_game",
]


class HumanPlayer(Player):
    """A human at the terminal. A box has no terminal, so there its methods fail."""

    others: Mapping[int, str] = {}
    """The names of the other players by seat, if their moves are shown as they happen."""

    def __init__(self, name: str = "Human") -> None:
        super().__init__(name)

    def turn_prompt(self) -> bool:
        return turn_prompt(self)

    def will_block(self, attacker: Card) -> None:
        block_prompt(self, attacker)

    def who_blocks(self, attacker: Card) -> None:
        block_prompt(self, attacker)


def play_game(
    player0: Player, player1: Player, print_details: bool = True, toss: bool = False
) -> int:
    """Plays one duel in this process and logs it in results.json; returns the winner, 0 or 1.

    `player0` begins, unless `toss` is true: then the beginner is drawn by lot. Random numbers come
    from the module `random`, so `random.seed` repeats a duel. A player that remembers games gets
    the content of parsed.json.
    """
    from matchbox.games.creatures import terminal

    return terminal.play_game(player0, player1, print_details, toss)
