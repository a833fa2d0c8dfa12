"""The cards of a player, and the deck that everybody begins with. Knows no rules.

The names are those of the source document.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from matchbox.games.creatures.kinds import CREATURES, DECK, FACE_DOWN, LAND, NAMES, NUMBERS


class Touches:
    """The number of times that players have changed a card's marks. While it is unchanged, all
    marks are those of the game."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


TOUCHES: Final = Touches()
TAPPED: Final = 1
ATTACKED: Final = 2
BLOCKED: Final = 4
"""The marks of a card, one bit each."""


class Card:
    """One card: a land, or a creature with its cost and power."""

    def __init__(self, kind: str, name: str, cost: int = 0, power: int = 0) -> None:
        self.kind = kind
        """ "land", "creature", or "hidden" for a card that you may not see."""
        self.name = name
        self.cost = cost
        self.power = power
        self._marks = 0

    @property
    def tapped(self) -> bool:
        """Whether it is tapped. Setting this or the two below changes only what is seen here."""
        return self._marks & TAPPED != 0

    @tapped.setter
    def tapped(self, value: bool) -> None:
        self._mark(TAPPED, value)

    @property
    def attacked(self) -> bool:
        """Whether attacking has tapped it."""
        return self._marks & ATTACKED != 0

    @attacked.setter
    def attacked(self, value: bool) -> None:
        self._mark(ATTACKED, value)

    @property
    def blocked(self) -> bool:
        """Whether blocking has tapped it."""
        return self._marks & BLOCKED != 0

    @blocked.setter
    def blocked(self, value: bool) -> None:
        self._mark(BLOCKED, value)

    def _mark(self, mark: int, value: object) -> None:
        self._marks = self._marks | mark if value else self._marks & ~mark
        TOUCHES.count += 1

    def tap(self) -> None:
        """Marks the card as tapped, but only in your view: the game does not change."""
        self.tapped = True

    def untap(self) -> None:
        """Marks the card as untapped, but only in your view."""
        self.tapped = False

    def __str__(self) -> str:
        return f"{self.name} ({self.cost})"

    def __repr__(self) -> str:
        return self.name


KINDS: Final = (
    ("hidden", NAMES[FACE_DOWN], 0, 0),
    ("land", LAND, 0, 0),
    *(("creature", name, kind.cost, kind.power) for name, kind in CREATURES.items()),
)
"""The arguments of every card, by its number."""


def find_by_name(zone: Iterable[Card], name: str) -> Card | None:
    """The first card of that name in a hand, on a field or on a pile; None if there is none."""
    for card in zone:
        if card.name == name:
            return card
    return None


deck: Final = [Card(*KINDS[NUMBERS[name]]) for name in DECK]
"""The 40 cards of a deck, in order."""
