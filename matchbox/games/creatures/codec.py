"""Encodes a seat's view in bytes: everything the seat may know, and nothing else.

First come numbers of one byte each: the question, the seat, the turn, the attacker's number or 0.
For the seat's own side: life, deck, lands, tapped lands, mana, whether a land was played, hand,
field, discard pile. For the other side: life, deck, hand, lands, tapped lands, field, discard pile.
The cards follow: the own hand; then for each side the numbers, kinds and marks of its field, and
its discard pile.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final

from matchbox import build
from matchbox.games.creatures.kinds import DECK, NUMBERS
from matchbox.games.creatures.state import MARKS, NOBODY, Side, State

ASKS: Final = ("turn", "block", "wait", "over")
TURN: Final = 0
BLOCK: Final = 1
WAIT: Final = 2
OVER: Final = 3
_ASK: Final = 0
_ATTACKER: Final = 3
"""The places of these numbers in a brief."""
_OTHER: Final = 13
_HEAD: Final = 20
"""The places where each side's numbers, and the cards, begin."""
_OF_NEXT: Final = Struct("B3x3B3x4B4x2B").unpack_from
"""The numbers of a brief that `read_next` needs."""
_BACKS: Final = [bytearray(number) for number in range(256)]
"""By number: that many cards, face down. Never changed."""
_COMPILED: Final = build.in_use() == "compiled"
_room: Final = bytearray(_HEAD + 8 * len(DECK))
"""The buffer for a brief in compiled code: a side never has more cards than its deck."""


def brief(state: State, seat: int) -> bytes:
    """The view of the seat to move, in bytes."""
    own, other = state.sides[seat], state.sides[1 - seat]
    ask, attacker = TURN, 0
    if state.attacker != NOBODY:
        ask, attacker = BLOCK, other.numbers[state.attacker]
    if _COMPILED:
        return write_compiled(ask, seat, state.turn, attacker, own, other)
    return write(ask, seat, state.turn, attacker, own, other)


def write(ask: int, seat: int, turn: int, attacker: int, own: Side, other: Side) -> bytes:
    """The brief of a seat with these sides."""
    hand, kinds, fallen = own.hand, own.kinds, own.discard
    their_kinds, their_fallen = other.kinds, other.discard
    head = (
        ask, seat, turn, attacker,
        own.life, len(own.deck), own.lands, own.tapped, own.mana, own.played, len(hand),
        len(kinds), len(fallen),
        other.life, len(other.deck), len(other.hand), other.lands, other.tapped, len(their_kinds),
        len(their_fallen),
    )  # fmt: skip
    return b"".join((
        bytes(head), hand,
        own.numbers, kinds, own.marks, fallen,
        other.numbers, their_kinds, other.marks, their_fallen,
    ))  # fmt: skip


def write_compiled(ask: int, seat: int, turn: int, attacker: int, own: Side, other: Side) -> bytes:
    """The same as `write` for sides as they occur in play, byte by byte: for compiled code."""
    hand, field, fallen = len(own.hand), len(own.kinds), len(own.discard)
    their_field, their_fallen = len(other.kinds), len(other.discard)
    to = _room
    to[0], to[1], to[2], to[3] = ask, seat, turn, attacker
    to[4], to[5], to[6], to[7] = own.life, len(own.deck), own.lands, own.tapped
    to[8], to[9], to[10], to[11], to[12] = own.mana, own.played, hand, field, fallen
    to[13], to[14], to[15], to[16] = other.life, len(other.deck), len(other.hand), other.lands
    to[17], to[18], to[19] = other.tapped, their_field, their_fallen
    at = _copy(to, _HEAD, own.hand, hand)
    at = _copy(to, at, own.numbers, field)
    at = _copy(to, at, own.kinds, field)
    at = _copy(to, at, own.marks, field)
    at = _copy(to, at, own.discard, fallen)
    at = _copy(to, at, other.numbers, their_field)
    at = _copy(to, at, other.kinds, their_field)
    at = _copy(to, at, other.marks, their_field)
    at = _copy(to, at, other.discard, their_fallen)
    return bytes(to[:at])


def _copy(to: bytearray, at: int, cards: bytearray, size: int) -> int:
    """Copies the cards to place `at`; returns the place behind them."""
    for place in range(size):
        to[at + place] = cards[place]
    return at + size


def read_ask(brief: bytes) -> int:
    """The question to the seat: an index into ASKS."""
    return brief[_ASK]


def read_attacker(brief: bytes) -> int:
    """The number of the creature that attacks the seat; 0 if none does."""
    return brief[_ATTACKER]


def read(brief: bytes, own: Side, other: Side) -> None:
    """Sets the own side, with its deck face down, and the life and the marks of the other side."""
    (
        _, _, _, _,
        own.life, deck, own.lands, own.tapped, own.mana, played, hand, field, fallen,
        other.life, _, _, _, _, theirs, discard,
    ) = brief[:_HEAD]  # fmt: skip
    own.deck = _BACKS[deck]
    own.played = played == 1
    cards = bytearray(brief)
    numbers = _HEAD + hand
    kinds = numbers + field
    marks = kinds + field
    end = marks + field
    own.hand = cards[_HEAD:numbers]
    own.numbers = cards[numbers:kinds]
    own.kinds = cards[kinds:marks]
    own.marks = cards[marks:end]
    own.discard = cards[end : end + fallen] if fallen else _BACKS[0]
    end = len(cards) - discard
    other.marks = cards[end - theirs : end]


def read_next(brief: bytes, own: Side, other: Side) -> bool:
    """Does the same as `read` at the beginning of a turn, if most of the own side is known.

    That is so if since the previous turn only a card was drawn and life was lost. Otherwise it
    returns False and sets nothing.
    """
    numbers = _OF_NEXT(brief)
    ask, life, deck, lands, hand, field, fallen, theirs_left, theirs, discard = numbers
    cards = own.hand
    if (
        hand != len(cards) + 1
        or field != len(own.kinds)
        or fallen != len(own.discard)
        or lands != own.lands
        or ask != TURN
    ):
        return False
    own.life = life
    own.deck = _BACKS[deck]
    own.tapped = own.mana = 0
    own.played = False
    cards.append(brief[_HEAD - 1 + hand])
    if field:
        own.marks = bytearray(field)
    other.life = theirs_left
    if theirs:
        end = len(brief) - discard
        other.marks = bytearray(brief[end - theirs : end])
    else:
        other.marks = _BACKS[0]
    return True


def read_other(brief: bytes, other: Side) -> None:
    """Sets the other side, except its life; unseen cards are face down.

    The brief does not contain mana and whether a land was played: it is not this side's turn.
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
    """The brief equal to this view of a seat to move."""
    me, attacker = view["me"], view["attacker"]
    own, other = _side_of(me), _side_of(view["other"])
    own.hand = _cards(me["hand"])
    own.mana, own.played = me["mana"], me["played"]
    other.hand = bytearray(view["other"]["hand"])
    number = attacker[0] if attacker else 0
    return write(ASKS.index(view["ask"]), view["seat"], view["turn"], number, own, other)


def _side_of(shown: dict[str, Any]) -> Side:
    """The public part of a side."""
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
