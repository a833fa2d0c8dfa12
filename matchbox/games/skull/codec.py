"""The view of Skull in bytes, as it is sent to a player. Knows the layout, but no rules.

First come single numbers, and rows with a place for every seat. Then come the number of cards on
the table and the highest bid. The seat's own part follows: the number of skulls and of roses in its
hand, its own number, how many cards it has lost, their kinds, and the kinds on its pile. Then comes
the story.
"""

from __future__ import annotations

from typing import Final

from matchbox.games.skull.moves import MOST_SEATS

PHASE, VARIANT, SEATS, MOVER, STARTER, INSIDE, POINTS = range(7)
CARDS, PILE_SIZES, BIDS, TABLE = range(POINTS + MOST_SEATS, POINTS + 5 * MOST_SEATS, MOST_SEATS)
TOP: Final = TABLE + 1
SKULLS, ROSES, ME, LOST, GONE = range(TOP + 1, TOP + 6)
"""The places of these numbers in a brief, and of the first number of each row."""


def write(
    phase: int,
    variant: int,
    seats: int,
    mover: int,
    starter: int,
    inside: int,
    points: bytes | bytearray,
    cards: bytes | bytearray,
    pile_sizes: bytes | bytearray,
    bids: bytes | bytearray,
    table: int,
    top: int,
    skulls: int,
    roses: int,
    me: int,
    lost: bytes | bytearray,
    pile: bytes | bytearray,
    story: bytes | bytearray,
) -> bytes:
    """Returns the brief.

    Args:
        phase, variant: indices into moves.PHASES and moves.VARIANTS.
        seats, inside: how many seats the table has, and how many of them own a card.
        mover, starter, me: the seat to move, the one that began the round, and the brief's own.
        points, cards, pile_sizes, bids: a number for every seat of the largest table.
        table, top: how many cards lie face down, and the highest bid.
        skulls, roses: how many of them the seat has in its hand.
        lost, pile: the kinds of the cards that it has lost, and of those on its pile.
        story: all events of the game, as story.py writes them.
    """
    return b"".join((
        bytes((phase, variant, seats, mover, starter, inside)),
        points, cards, pile_sizes, bids,
        bytes((table, top, skulls, roses, me, len(lost))),
        lost, pile, story,
    ))  # fmt: skip
