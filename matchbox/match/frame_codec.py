"""Encodes and decodes frames byte by byte, without a library, for the compiled build.

A question is encoded as marshal would encode it. Answers are encoded and decoded if they are only
short strings and integers. All else is left to marshal and msgspec, which plain Python uses
from the start, since they are faster there.
"""

from __future__ import annotations

import marshal
from sys import intern
from typing import TYPE_CHECKING, Any, Final

from matchbox import build

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPILED: Final = build.in_use() == "compiled"
"""Whether this module is faster than the libraries."""

_ROOM: Final = 1 << 16
_room: Final = bytearray(_ROOM)
"""The buffer for a frame of answers; a longer frame is left to msgspec."""
_TAIL: Final = 100
"""An upper bound for the bytes of a question without its brief and its seed."""

# marshal's format 2: a letter for the kind, then (except for None) four bytes for the number or
# the length, lowest byte first.
_HEAD: Final = b"[\4\0\0\0u\3\0\0\0ask"
_NONCE: Final = len(_HEAD)
_COUNT: Final = _NONCE + 5
_FIRST: Final = _COUNT + 5
_LIST, _TUPLE, _INT, _BYTES, _TEXT, _NONE = b"[(isuN"
_NOTHING: Final = b""
_LOWEST: Final = -(1 << 31)

_SAY: Final = b'["say",'
_END: Final = b"],[]]"
_QUOTE, _BACKSLASH, _COMMA, _OPEN, _ZERO, _NINE, _SPACE, _TILDE = b'"\\,[09 ~'
_DIGITS: Final = 15
"""An integer with more digits may be too large."""
_SLOTS: Final = 256
_LENGTH: Final = 32
"""A text with more characters is not cached."""
_spelled: Final[list[bytes]] = [b""] * _SLOTS
_texts: Final[list[str]] = [""] * _SLOTS
"""The last text of each slot, so that repeated texts are one object."""


# --- Questions -------------------------------------------------------------------------------


class Asking:
    """Collects the questions of a frame. Each is encoded at once, so its source may change
    afterwards."""

    __slots__ = ("_at", "_count", "_room")

    def __init__(self) -> None:
        self._room = bytearray(_FIRST)
        self._at = _FIRST
        self._count = 0

    def add(self, number: int, view: bytes | bytearray, seed: str | None) -> None:
        """Adds a question. Raises OverflowError if the number does not fit into four bytes."""
        if number < _LOWEST or number >= -_LOWEST:
            raise OverflowError
        size, at = len(view), self._at
        spelled = _NOTHING if seed is None else seed.encode()
        length = len(spelled)
        if at + size + length + _TAIL > len(self._room):
            self._grow(size + length)
        to = self._room
        _put(to, at, _TUPLE, 3)
        _put(to, at + 5, _INT, number)
        _put(to, at + 10, _BYTES, size)
        at = _copy(to, at + 15, view, size)
        if seed is None:
            to[at] = _NONE
            at += 1
        else:
            _put(to, at, _TEXT, length)
            at = _copy(to, at + 5, spelled, length)
        self._at = at
        self._count += 1

    def frame(self, nonce: int, ended: list[int]) -> bytes:
        """The encoding of ["ask", nonce, questions, ended]. Raises OverflowError."""
        head, at = _HEAD, self._at
        if at + 5 * len(ended) + _TAIL > len(self._room):
            self._grow(5 * len(ended))
        to = self._room
        for place in range(_NONCE):
            to[place] = head[place]
        _put(to, _NONCE, _INT, _small(nonce))
        _put(to, _COUNT, _LIST, self._count)
        _put(to, at, _LIST, len(ended))
        at += 5
        for number in ended:
            _put(to, at, _INT, _small(number))
            at += 5
        return bytes(to[:at])

    def clear(self) -> None:
        """Forgets the questions."""
        self._at = _FIRST
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple[int, bytes, str | None]]:
        return iter(self[:])

    def __getitem__(self, part: slice) -> list[tuple[int, bytes, str | None]]:
        questions: list[tuple[int, bytes, str | None]] = marshal.loads(self.frame(0, []))[2]
        return questions[part]

    def _grow(self, size: int) -> None:
        """Makes room for `size` more bytes, and doubles the room at least."""
        self._room += bytes(self._at + size + _TAIL)


_asking: Final = Asking()


def asks(nonce: int, questions: list[Any], ended: list[int]) -> bytes:
    """marshal's encoding of ["ask", nonce, questions, ended]; b"" if a question has no brief."""
    to = _asking
    to.clear()
    try:
        for number, view, seed in questions:
            if type(view) is not bytearray and type(view) is not bytes:
                return b""
            to.add(_small(number), view, seed)
        return to.frame(nonce, ended)
    except OverflowError:
        return b""


def _small(number: int) -> int:
    """Returns the number if it fits into four bytes. Raises OverflowError."""
    if type(number) is not int:
        raise OverflowError
    small = number
    if small < _LOWEST or small >= -_LOWEST:
        raise OverflowError
    return small


def _put(to: bytearray, at: int, kind: int, number: int) -> None:
    to[at] = kind
    to[at + 1] = number & 255
    to[at + 2] = number >> 8 & 255
    to[at + 3] = number >> 16 & 255
    to[at + 4] = number >> 24 & 255


def _copy(to: bytearray, at: int, data: bytes | bytearray, size: int) -> int:
    """Copies the data to index `at`; returns the index after it."""
    for place in range(size):
        to[at + place] = data[place]
    return at + size


# --- Answers ---------------------------------------------------------------------------------


def answer_frame(
    nonce: int, moves: list[Any], texts: dict[str, bytes], numbers: dict[int, bytes]
) -> bytes:
    """The answer frame of moves whose JSON is cached; b"" on a cache miss."""
    to = _room
    head = b'["say",%d,[' % nonce
    at = _copy(to, 0, head, len(head))
    for move in moves:
        if type(move) is str:
            known = texts.get(move)
        elif type(move) is int:
            known = numbers.get(move)
        else:
            return b""
        if known is None:
            return b""
        size = len(known)
        if at + size + _TAIL > _ROOM:
            return b""
        at = _copy(to, at, known, size)
        to[at] = _COMMA
        at += 1
    if moves:
        at -= 1
    at = _copy(to, at, _END, len(_END))
    return bytes(to[:at])


def answers(frame: bytes, nonce: int, count: int) -> list[Any] | None:
    """The `count` moves of an answer frame; None unless all are short strings or integers."""
    data = frame
    end = len(frame) - len(_END)
    """The index at which the list of moves must end."""
    at = len(_SAY)
    if end <= at or not frame.startswith(_SAY) or not frame.endswith(_END):
        return None
    size = _digits(data, at, end)
    if not size or _value(data, at, size) != nonce:
        return None
    at += size
    if at + 2 > end or data[at] != _COMMA or data[at + 1] != _OPEN:
        return None
    at += 2
    found: list[Any] = [None] * count
    place = 0
    while at < end:
        if place == count:
            return None
        if data[at] == _QUOTE:
            start = at + 1
            at = start
            slot = 0
            while at < end and data[at] != _QUOTE:
                letter = data[at]
                if letter == _BACKSLASH or letter < _SPACE or letter > _TILDE:
                    return None
                slot = (slot * 31 + letter) & (_SLOTS - 1)
                at += 1
            if at >= end:
                return None
            found[place] = _text(data, start, at - start, slot)
            at += 1
        else:
            size = _digits(data, at, end)
            if not size:
                return None
            found[place] = _value(data, at, size)
            at += size
        place += 1
        if at < end:
            if data[at] != _COMMA or at + 1 == end:
                return None
            at += 1
    return found if place == count else None


def _digits(data: bytes, start: int, end: int) -> int:
    """How many digits the integer at `start` has; 0 if there is none, JSON forbids it, or it has
    too many."""
    at = start
    while at < end and _ZERO <= data[at] <= _NINE:
        at += 1
    size = at - start
    if size > _DIGITS or (size > 1 and data[start] == _ZERO):
        return 0
    return size


def _value(data: bytes, start: int, size: int) -> int:
    value = 0
    for at in range(start, start + size):
        value = value * 10 + (data[at] - _ZERO)
    return value


def _text(data: bytes, start: int, size: int, slot: int) -> str:
    """The text at that place of the frame. It is kept in the slot, for the next equal text."""
    spelled = _spelled[slot]
    known = spelled
    if len(spelled) == size:
        place = 0
        while place < size and known[place] == data[start + place]:
            place += 1
        if place == size:
            return _texts[slot]
    spelled = data[start : start + size]
    text = spelled.decode("ascii")
    if size <= _LENGTH:
        if not _texts[slot]:  # Only the slot's first: Python 3.12 never frees such a text.
            text = intern(text)
        _spelled[slot] = spelled
        _texts[slot] = text
    return text
