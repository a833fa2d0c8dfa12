"""A deck that is put in order only as far as it is drawn. Knows chance, and no rules."""

from __future__ import annotations

from math import perm
from typing import TYPE_CHECKING, Final, SupportsIndex

from matchbox.games.creatures.kinds import DECK, NUMBERS

if TYPE_CHECKING:
    from matchbox.dice import Dice

CARDS: Final = bytes(NUMBERS[name] for name in DECK)
_ORDERS: Final = perm(len(CARDS))
FIRST: Final = 12
"""This many cards on top are in order from the beginning: their order fits a machine word."""
_FIRST_ORDERS: Final = perm(len(CARDS), FIRST)
_NEXT: Final = 4
"""Once these are drawn, this many more are put in order."""


class Deck(bytearray):
    """A deck in the order that `dice.shuffle` gives it; cards are drawn from its end with `pop`.

    A shuffle settles the last places first, and most of a deck is never drawn. The cards below the
    settled ones are in no meaningful order.
    """

    __slots__ = ("_order", "_unsettled")

    def __init__(self, dice: Dice) -> None:
        super().__init__(CARDS)
        self._order, part = divmod(dice.below(_ORDERS), _FIRST_ORDERS)
        self._settle(FIRST, part)

    def pop(self, index: SupportsIndex = -1, /) -> int:
        """Draws the top card, whatever the index. Raises IndexError if there is none."""
        if len(self) == self._unsettled:
            self._order = self._settle(_NEXT, self._order)
        return bytearray.pop(self)

    def _settle(self, count: int, order: int) -> int:
        """Fills the top `count` places in the way number `order` modulo the number of ways (as in
        `matchbox.dice`); returns the quotient."""
        above = len(self)
        self._unsettled = below = max(above - count, 0)
        for size in range(above, below, -1):
            other = order % size
            order //= size
            self[size - 1], self[other] = self[other], self[size - 1]
        return order
