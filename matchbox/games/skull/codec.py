"""The view of Skull in bytes, as it is sent to a player. Knows the layout, but no rules.

First come single numbers, and rows with a place for every seat. Then come the number of cards on
the table and the highest bid. The seat's own part follows: the number of skulls and of roses in its
hand, its own number, how many cards it has lost, their kinds, and the kinds on its pile. Then comes
the story.
"""

from __future__ import annotations

from typing import Final

from matchbox.games.skull.moves import MAX_SEATS, OVER

_PHASE, _VARIANT, _SEATS, _MOVER, _STARTER, _INSIDE, _POINTS = range(7)
_CARDS, _PILE_SIZES, _BIDS, _TABLE = range(_POINTS + MAX_SEATS, _POINTS + 5 * MAX_SEATS, MAX_SEATS)
_TOP: Final = _TABLE + 1
_SKULLS, _ROSES, _ME, _LOST, _GONE = range(_TOP + 1, _TOP + 6)
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


def read_phase(brief: bytes) -> int:
    """The phase: an index into moves.PHASES."""
    return brief[_PHASE]


def read_own_phase(brief: bytes) -> int:
    """The phase if it is the seat's turn, else moves.OVER."""
    return brief[_PHASE] if brief[_ME] == brief[_MOVER] else OVER


def read_variant(brief: bytes) -> int:
    """The variant: an index into moves.VARIANTS."""
    return brief[_VARIANT]


def read_me(brief: bytes) -> int:
    """The seat whose brief this is."""
    return brief[_ME]


def read_mover(brief: bytes) -> int:
    """The seat to move."""
    return brief[_MOVER]


def read_starter(brief: bytes) -> int:
    """The seat that began the round."""
    return brief[_STARTER]


def read_placing(brief: bytes) -> tuple[int, int, int, int]:
    """The numbers that a placing seat needs.

    They are the skulls and the roses in its hand, the number of cards on the table, and the number
    of seats that own a card.
    """
    return brief[_SKULLS], brief[_ROSES], brief[_TABLE], brief[_INSIDE]


def read_betting(brief: bytes) -> tuple[int, int]:
    """The highest bid, and the number of cards on the table."""
    return brief[_TOP], brief[_TABLE]


def read_hand(brief: bytes) -> tuple[int, int]:
    """The skulls and the roses in the seat's hand."""
    return brief[_SKULLS], brief[_ROSES]


def read_points(brief: bytes) -> bytes:
    """The points by seat."""
    return brief[_POINTS : _POINTS + brief[_SEATS]]


def read_cards(brief: bytes) -> bytes:
    """How many cards each seat owns, in all places."""
    return brief[_CARDS : _CARDS + brief[_SEATS]]


def read_pile_sizes(brief: bytes) -> bytes:
    """The size of the pile of each seat."""
    return brief[_PILE_SIZES : _PILE_SIZES + brief[_SEATS]]


def read_bids(brief: bytes) -> bytes:
    """The bids by seat: 0 for none, moves.PASSED_BYTE for a seat that has passed."""
    return brief[_BIDS : _BIDS + brief[_SEATS]]


def read_lost(brief: bytes) -> bytes:
    """The kinds of the seat's lost cards, oldest first."""
    return brief[_GONE : _GONE + brief[_LOST]]


def read_pile(brief: bytes) -> bytes:
    """The kinds of the cards on the seat's pile, in the order in which they were placed."""
    start = _GONE + brief[_LOST]
    return brief[start : start + brief[_PILE_SIZES + brief[_ME]]]


def read_story(brief: bytes) -> bytes:
    """All events of the game, as story.py writes them."""
    return brief[_GONE + brief[_LOST] + brief[_PILE_SIZES + brief[_ME]] :]
