"""Cards as a player holds them, and the deck that everybody begins with. Knows no rules.

The names are those of the source document.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from matchbox.games.creatures.kinds import CREATURES, DECK, LAND


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


def new_card(name: str) -> Card:
    """A card of its own of that name."""
    if name == LAND:
        return Card("land", LAND)
    kind = CREATURES[name]
    return Card("creature", name, kind.cost, kind.power)


def face_down() -> Card:
    """A card of which only the back is seen."""
    return Card("hidden", "?")


def find_by_name(zone: Iterable[Card], name: str) -> Card | None:
    """The first card of that name in a hand, on a field or on a pile; None where there is none."""
    for card in zone:
        if card.name == name:
            return card
    return None


deck: Final = [new_card(name) for name in DECK]
"""The 40 cards of a deck, in order."""
