"""The deal of bomb. Knows the cards; knows no move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matchbox.games.bomb.cards import ADDED, AT_COUNTS, DECK, HAND, KINDS

if TYPE_CHECKING:
    from matchbox.dice import Dice

_DECK: Final = bytearray(DECK)
_SECOND: Final = len(DECK) - 2 * HAND
_FIRST: Final = len(DECK) - HAND
_END: Final = len(DECK)
"""The places of the hands in the deck: first seat 1's, behind it seat 0's."""
_TOLD: Final = bytearray((0, 0, HAND + 1, 0, *(kind == "defuse" for kind in KINDS)))
"""A brief before the cards are dealt: everybody gets a defuse card."""


def dealt(dice: Dice) -> tuple[bytearray, tuple[bytearray, bytearray]]:
    """The draw pile (its top is at the end), and each seat's brief without the pile's size."""
    pile = _DECK.copy()
    dice.shuffle(pile)
    first, second = _TOLD.copy(), _TOLD.copy()
    for place in range(_FIRST, _END):
        first[AT_COUNTS + pile[place]] += 1
    for place in range(_SECOND, _FIRST):
        second[AT_COUNTS + pile[place]] += 1
    del pile[_SECOND:]
    pile += ADDED
    dice.shuffle(pile)
    return pile, (first, second)
