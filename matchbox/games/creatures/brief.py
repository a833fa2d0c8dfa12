"""A seat's view in bytes, as its driver reads it: what the seat may know, and nothing else.

First numbers, one byte each: what is asked, the seat, the turn, the attacker's number or 0; of the
own side its life, deck, lands, tapped lands, mana, whether a land has been played, hand, field and
discard pile; of the other its life, deck, hand, lands, tapped lands, field and discard pile. Then
the cards: the own hand, and of each side the numbers, kinds and marks of its field, and its
discard pile.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox.games.creatures.kinds import NUMBERS
from matchbox.games.creatures.state import MARKS, Side

ASKS: Final = ("turn", "block", "wait", "over")
TURN: Final = 0
BLOCK: Final = 1
WAIT: Final = 2
OVER: Final = 3
ASKED: Final = 0
ATTACKER: Final = 3
"""Where these stand in a brief."""
_OWN: Final = 4
_OTHER: Final = 13
_HEAD: Final = 20
"""Where the numbers of each side begin, and the cards."""
_BACKS: Final = [bytearray(number) for number in range(256)]
"""So many cards face down; never changed."""


def write(asked: int, seat: int, turn: int, attacker: int, own: Side, other: Side) -> bytes:
    """What a seat knows whose own side, and the other, are these."""
    head = (
        asked, seat, turn, attacker,
        own.life, len(own.deck), own.lands, own.tapped, own.mana, own.played, len(own.hand),
        len(own.kinds), len(own.discard),
        other.life, len(other.deck), len(other.hand), other.lands, other.tapped, len(other.kinds),
        len(other.discard),
    )  # fmt: skip
    return b"".join((
        bytes(head), own.hand,
        own.numbers, own.kinds, own.marks, own.discard,
        other.numbers, other.kinds, other.marks, other.discard,
    ))  # fmt: skip


def read(brief: bytes, own: Side, other: Side) -> None:
    """Lays the own side as the brief tells, its deck face down; of the other, life and marks."""
    cards = bytearray(brief)
    own.life = cards[_OWN]
    own.deck = _BACKS[cards[_OWN + 1]]
    own.lands = cards[_OWN + 2]
    own.tapped = cards[_OWN + 3]
    own.mana = cards[_OWN + 4]
    own.played = cards[_OWN + 5] == 1
    numbers = _HEAD + cards[_OWN + 6]
    field = cards[_OWN + 7]
    kinds = numbers + field
    marks = kinds + field
    fallen = marks + field
    own.hand = cards[_HEAD:numbers]
    own.numbers = cards[numbers:kinds]
    own.kinds = cards[kinds:marks]
    own.marks = cards[marks:fallen]
    discard = cards[_OWN + 8]
    own.discard = cards[fallen : fallen + discard] if discard else _BACKS[0]
    other.life = cards[_OTHER]
    end = len(cards) - cards[_HEAD - 1]
    other.marks = cards[end - cards[_HEAD - 2] : end]


def read_other(brief: bytes, other: Side) -> None:
    """Lays of the other side all but its life, what is not seen face down.

    Mana and whether a land has been played are not told: they are those of who is not to move.
    """
    theirs = brief[_OTHER + 1 : _HEAD]
    deck, hand, other.lands, other.tapped, field, discard = theirs
    end = len(brief) - discard
    other.deck = _BACKS[deck]
    other.hand = _BACKS[hand]
    other.mana, other.played = 0, False
    cards = bytearray(brief)
    other.numbers = cards[end - 3 * field : end - 2 * field]
    other.kinds = cards[end - 2 * field : end - field]
    other.marks = cards[end - field : end]
    other.discard = cards[end:]


def brief_of(view: dict[str, Any]) -> bytes:
    """The brief that says the same as this view of a seat to move."""
    me, attacker = view["me"], view["attacker"]
    own, other = _side_of(me), _side_of(view["other"])
    own.hand = _cards(me["hand"])
    own.mana, own.played = me["mana"], me["played"]
    other.hand = bytearray(view["other"]["hand"])
    number = attacker[0] if attacker else 0
    return write(ASKS.index(view["ask"]), view["seat"], view["turn"], number, own, other)


def _side_of(shown: dict[str, Any]) -> Side:
    """What everybody sees of a side."""
    side = Side(bytearray(shown["deck"]))
    for number, name, mark in shown["field"]:
        side.numbers.append(number)
        side.kinds.append(NUMBERS[name])
        side.marks.append(MARKS.index(mark))
    side.discard = _cards(shown["discard"])
    side.life, side.lands, side.tapped = shown["life"], shown["lands"], shown["tapped"]
    return side


def _cards(names: list[str]) -> bytearray:
    return bytearray(NUMBERS[name] for name in names)
