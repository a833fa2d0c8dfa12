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
_HEAD: Final = 20


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
    """Lays both sides as the brief tells, what is not seen face down."""
    (
        _, _, _, _,
        own.life, deck, own.lands, own.tapped, own.mana, played, hand, field, discard,
        other.life, other_deck, other_hand, other.lands, other.tapped, other_field, other_discard,
    ) = brief[:_HEAD]  # fmt: skip
    own.played = played == 1
    own.deck = bytearray(deck)
    end = _HEAD + hand
    own.hand = bytearray(brief[_HEAD:end])
    end = _read_cards(brief, end, own, field, discard)
    other.deck = bytearray(other_deck)
    other.hand = bytearray(other_hand)
    _read_cards(brief, end, other, other_field, other_discard)


def _read_cards(brief: bytes, start: int, side: Side, field: int, discard: int) -> int:
    """Reads a field and a discard pile of so many cards; the place behind them."""
    kinds = start + field
    marks = kinds + field
    fallen = marks + field
    end = fallen + discard
    side.numbers = bytearray(brief[start:kinds])
    side.kinds = bytearray(brief[kinds:marks])
    side.marks = bytearray(brief[marks:fallen])
    side.discard = bytearray(brief[fallen:end])
    return end


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
