"""The document's `skulltypes`: phases, cards and players. Knows no rules."""

from __future__ import annotations

from enum import Enum

__all__ = ["Card", "GamePhase", "Player"]


class GamePhase(Enum):
    """The phase of a round."""

    placing = 1
    betting = 2
    choice = 3

    @property
    def next(self) -> GamePhase | None:
        """The phase after this one, None after the last."""
        return None if self is GamePhase.choice else GamePhase(self.value + 1)


class Card(Enum):
    """The two kinds of card."""

    skull = 1
    rose = 2


class Player(Enum):
    """The players of the largest table. The value is the seat's number."""

    player_0 = 0
    player_1 = 1
    player_2 = 2
    player_3 = 3
    player_4 = 4
    player_5 = 5

    def __str__(self) -> str:
        return f"seat {self.value}"
