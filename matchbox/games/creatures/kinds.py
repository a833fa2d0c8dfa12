"""The kinds of card of the creature duel, and its limit, as facts. Knows no rules and no
players."""

from __future__ import annotations

from typing import Final, NamedTuple


class Kind(NamedTuple):
    """One kind of creature."""

    cost: int
    power: int
    copies: int
    """How many of them are in a deck."""


LAND: Final = "Land"
LANDS: Final = 20
"""How many lands are in a deck."""
CREATURES: Final[dict[str, Kind]] = {
    "Bear": Kind(2, 2, 6),
    "Knight": Kind(3, 3, 6),
    "Elemental": Kind(4, 4, 4),
    "Vampire": Kind(5, 5, 2),
    "Dragon": Kind(6, 6, 2),
}
DECK: Final = (
    *[LAND] * LANDS,
    *(name for name, kind in CREATURES.items() for _ in range(kind.copies)),
)
"""The names of the 40 cards that each player begins with."""

# Internally a card is the number of its kind, so a hand, a field and a pile are bytes.
FACE_DOWN: Final = 0
"""A card of which only the back can be seen."""
LAND_CARD: Final = 1
NAMES: Final = ("?", LAND, *CREATURES)
"""The names of all cards, by number."""
NUMBERS: Final = {name: number for number, name in enumerate(NAMES) if number}
COSTS: Final = bytes((0, 0, *(kind.cost for kind in CREATURES.values())))
POWERS: Final = bytes((0, 0, *(kind.power for kind in CREATURES.values())))
ACTIONS: Final = 1000
"""The most actions that a player may try in one turn, including impossible ones."""
TOO_MANY: Final = f"more than {ACTIONS} actions in one turn"
"""What is sent in place of a move by a player that tries more."""
