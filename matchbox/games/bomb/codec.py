"""Encodes the view of bomb in bytes. Knows the layout, but no rule.

A brief begins with one byte for each of these numbers: 1 if the bomb is to be put back, else 0; the
size of the draw pile; the size of the other hand; the number of cards seen; and the hand, as a
count for each kind. The cards seen follow, the topmost first, and then the discard pile, the oldest
first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matchbox.games.bomb.cards import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASKS_FOR_PLACE: Final = 0
_PILE: Final = 1
_OTHER: Final = 2
_SEEN: Final = 3
_HAND: Final = 4
_CARDS: Final = _HAND + len(KINDS)
_BLANK: Final = bytearray(_CARDS)


class Sheet:
    """The knowledge of one player.

    Its fields are the bytes of a brief, so a question needs no encoding.
    """

    __slots__ = ("_brief",)

    def __init__(self) -> None:
        self._brief = _BLANK.copy()

    def set_pile(self, pile: int) -> bytearray:
        """Sets the size of the draw pile. Returns the brief.

        It is not a copy: it changes with the sheet.
        """
        self._brief[_PILE] = pile
        return self._brief

    @property
    def hand(self) -> bytes:
        """The number of cards of each kind in the hand."""
        return read_hand(bytes(self._brief))

    @property
    def other(self) -> int:
        """The size of the other hand."""
        return self._brief[_OTHER]

    @property
    def seen(self) -> bytes:
        """The cards just seen, the topmost first."""
        return read_seen(bytes(self._brief))

    @property
    def discard(self) -> bytes:
        """The discard pile, the oldest card first."""
        return read_discard(bytes(self._brief))

    def holds(self, card: int) -> int:
        """Returns the number of cards of that kind in the hand."""
        return self._brief[_HAND + card]

    def gain(self, card: int) -> None:
        """Adds a card to the hand."""
        self._brief[_HAND + card] += 1

    def play(self, card: int) -> None:
        """Moves a card from the hand to the discard pile."""
        self._brief[_HAND + card] -= 1
        self._brief.append(card)

    def other_gains(self) -> None:
        """Adds a card to the other hand."""
        self._brief[_OTHER] += 1

    def other_plays(self, card: int) -> None:
        """Moves a card from the other hand to the discard pile."""
        self._brief[_OTHER] -= 1
        self._brief.append(card)

    def see(self, cards: bytearray) -> None:
        """Shows these cards to the player, the topmost first."""
        self.forget()
        self._brief[_SEEN] = len(cards)
        self._brief[_CARDS:_CARDS] = cards

    def forget(self) -> None:
        """Forgets the cards that were seen."""
        brief = self._brief
        if brief[_SEEN]:
            del brief[_CARDS : _CARDS + brief[_SEEN]]
            brief[_SEEN] = 0

    def set_asks_for_place(self, asks: bool) -> None:
        """Sets whether the player is to put the bomb back."""
        self._brief[_ASKS_FOR_PLACE] = asks


def sheet_of(hand: Iterable[int], other: int, played: Iterable[int] = ()) -> Sheet:
    """Returns a sheet with this hand, this size of the other hand, and this discard pile."""
    sheet = Sheet()
    sheet._brief[_HAND:_CARDS] = bytes(hand)
    sheet._brief[_OTHER] = other
    sheet._brief += bytes(played)
    return sheet


def asks_for_place(brief: bytes) -> bool:
    """Whether the player is to put the bomb back."""
    return brief[_ASKS_FOR_PLACE] == 1


def read_pile(brief: bytes) -> int:
    """The size of the draw pile."""
    return brief[_PILE]


def read_other(brief: bytes) -> int:
    """The size of the other hand."""
    return brief[_OTHER]


def read_hand(brief: bytes) -> bytes:
    """The number of cards of each kind in the hand."""
    return brief[_HAND:_CARDS]


def read_seen(brief: bytes) -> bytes:
    """The cards just seen, the topmost first."""
    return brief[_CARDS : _CARDS + brief[_SEEN]]


def read_discard(brief: bytes) -> bytes:
    """The discard pile, the oldest card first."""
    return brief[_CARDS + brief[_SEEN] :]
