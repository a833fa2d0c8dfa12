"""Encodes the view of a seat that is to lay in bytes: everything in the view, and nothing else.

The first byte is the number of cards in each hand. The cards follow: the seat's hand, the other
hand, the cards that the seat has laid, and the same number that the other seat has laid.
"""

from __future__ import annotations

from typing import Any, Final

_NUMBERS: Final = [bytes([number]) for number in range(256)]


def write(hand: bytearray, other: bytearray, laid: bytearray, other_laid: bytearray) -> bytes:
    """The brief of a seat with these cards."""
    return b"".join((_NUMBERS[len(hand)], hand, other, laid, other_laid))


def brief_of(view: dict[str, Any]) -> bytes:
    """The brief equal to this view of a seat that is to lay."""
    hand, (own, other) = view["hand"], view["played"]
    return bytes([len(hand), *hand, *view["other"], *own, *other])


def hand_of(brief: bytes) -> list[int]:
    """The seat's hand."""
    return [*brief[1 : 1 + brief[0]]]


def other_hand_of(brief: bytes) -> list[int]:
    """The other hand."""
    return [*brief[1 + brief[0] : 1 + 2 * brief[0]]]


def laid_of(brief: bytes) -> tuple[bytes, bytes]:
    """All cards that the seat has laid, and those of the other, two per play."""
    laid = brief[1 + 2 * brief[0] :]
    half = len(laid) // 2
    return laid[:half], laid[half:]
