"""Cards as a player holds them, and the deck that everybody begins with. Knows no rules.

The names are those of the source document.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from matchbox.games.creatures.kinds import CREATURES, DECK, FACE_DOWN, LAND, NAMES, NUMBERS


class Card:
    """One card: a land, or a creature with its cost and power."""

    def __init__(self, kind: str, name: str, cost: int = 0, power: int = 0) -> None:
        self.kind = kind
        """ "land" or "creature"; "hidden" for a card that you may not see."""
        self.name = name
        self.cost = cost
        self.power = power
        self.tapped = False
        self.attacked = False
        self.blocked = False

    def tap(self) -> None:
        """Marks the card as tapped, here only: what the game knows does not change."""
        self.tapped = True

    def untap(self) -> None:
        """Marks the card as untapped, here only."""
        self.tapped = False

    def __str__(self) -> str:
        return f"{self.name} ({self.cost})"

    def __repr__(self) -> str:
        return self.name


_KINDS: Final = (
    ("hidden", NAMES[FACE_DOWN], 0, 0),
    ("land", LAND, 0, 0),
    *(("creature", name, kind.cost, kind.power) for name, kind in CREATURES.items()),
)
"""What a card is made of, by its number."""


def card_of(number: int) -> Card:
    """A new card of that number; face down it is 0, and only the back is seen."""
    return Card(*_KINDS[number])


def find_by_name(zone: Iterable[Card], name: str) -> Card | None:
    """The first card of that name in a hand, on a field or on a pile; None where there is none."""
    for card in zone:
        if card.name == name:
            return card
    return None


deck: Final = [card_of(NUMBERS[name]) for name in DECK]
"""The 40 cards of a deck, in order."""
