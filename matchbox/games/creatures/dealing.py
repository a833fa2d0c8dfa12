"""A deck that is put into order only as far as it is drawn. Knows chance, and no rules."""

from __future__ import annotations

from math import perm
from typing import TYPE_CHECKING, Final, SupportsIndex

from matchbox.games.creatures.kinds import DECK, NUMBERS

if TYPE_CHECKING:
    from matchbox.dice import Dice

CARDS: Final = bytes(NUMBERS[name] for name in DECK)
_ORDERS: Final = perm(len(CARDS))
FIRST: Final = 12
"""So many cards on top are in order from the beginning: their orders are one machine word."""
_FIRST_ORDERS: Final = perm(len(CARDS), FIRST)
_NEXT: Final = 4
"""So many more come into order whenever all of those are drawn."""


class Deck(bytearray):
    """What `dice.shuffle` makes of the cards, to be drawn from its end with `pop`.

    A shuffle settles the last place first, and most of a deck is never drawn: below the cards on
    top it is in no order that means anything.
    """

    __slots__ = ("_order", "_unsettled")

    def __init__(self, dice: Dice) -> None:
        super().__init__(CARDS)
        self._order, part = divmod(dice.below(_ORDERS), _FIRST_ORDERS)
        self._settle(FIRST, part)

    def pop(self, index: SupportsIndex = -1, /) -> int:
        """Draws the card on top, whatever the index. Raises IndexError where there is none."""
        if len(self) == self._unsettled:
            self._order = self._settle(_NEXT, self._order)
        return bytearray.pop(self)

    def _settle(self, count: int, order: int) -> int:
        """Puts so many cards on top into the order of that number; what the number leaves."""
        above = len(self)
        self._unsettled = below = max(above - count, 0)
        for size in range(above, below, -1):
            other = order % size
            order //= size
            self[size - 1], self[other] = self[other], self[size - 1]
        return order
