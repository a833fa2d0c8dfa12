"""The view of Skull in bytes, as it is sent to a player. Knows the layout, but no rules.

First come single numbers, and rows with a place for every seat. The seat's own part follows: the
number of skulls and of roses in its hand, its own number, how many cards it has lost, their kinds,
and the kinds on its pile. Then comes the story.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from matchbox.games.skull.moves import SEATS as _MOST

PHASE, VARIANT, SEATS, MOVER, STARTER, INSIDE, POINTS = range(7)
CARDS, PILES, BIDS, TABLE = range(POINTS + _MOST, POINTS + 5 * _MOST, _MOST)
TOP: Final = TABLE + 1
SKULLS, ROSES, ME, LOST, GONE = range(TOP + 1, TOP + 6)
"""The places of these numbers in a brief, and of the first number of each row."""


def write(
    numbers: bytes,
    rows: Iterable[bytes | bytearray],
    own_numbers: bytes,
    own_kinds: Iterable[bytes | bytearray],
    story: bytes | bytearray,
) -> bytes:
    """The brief with these parts: phase, variant, seats, mover, starter, seats with cards; the rows
    of points, cards, piles and bids; the cards on the table, the highest bid, skulls, roses, the
    seat, its number of lost cards; the kinds that it has lost, and those on its pile."""
    return b"".join((numbers, *rows, own_numbers, *own_kinds, story))
