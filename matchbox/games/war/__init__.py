"""Addition War, a card game for two: the names for authors of players.

from matchbox.games.war import *
"""

from __future__ import annotations

from collections.abc import Mapping

from matchbox.games.war.player import Cards, Play, Player, Position
from matchbox.games.war.players import HighestPlayer, RandomPlayer

__all__ = [
    "Cards",
    "HighestPlayer",
    "HumanPlayer",
    "Play",
    "Player",
    "Position",
    "RandomPlayer",
]


class HumanPlayer(Player):
    """A human at the terminal. A box has no terminal, so there its method fails."""

    others: Mapping[int, str] = {}
    """The names of the other players by seat, if their moves are shown as they happen."""

    def __init__(self) -> None:
        self.known_plays = 0
        """How many plays were over at the player's last turn."""

    def lay(self, position: Position) -> Cards:
        from matchbox.games.war import terminal

        cards = terminal.ask_for_cards(position, self.known_plays, self.others)
        self.known_plays = len(position.plays)
        return cards
