"""Encodes a seat's answers in JSON; caches the moves that occurred before.

Knows how an answer is written; decides nothing. Runs on the standard library alone.
"""

from __future__ import annotations

import json
import marshal
from typing import Any, Final

from matchbox.match import frame_codec

_KNOWN: Final = 1000
"""The cache keeps at most this many encoded moves."""
_KEY: Final = 500
"""The longest encoded row of moves that is cached, in bytes."""
ROW_BYTES: Final = 240
"""A longer row of moves is handed over in parts. The limit of a frame has room for 256 bytes per
answer, and the comma and place of each row need some of it."""
_UNSHARED: Final = 2
"""In this format of marshal, equal values are encoded alike; references do not matter."""
_to_text: Final = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode


def encodes(move: object) -> bool:
    """Whether the move can be encoded in JSON."""
    try:
        _to_text(move)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


_texts: Final[dict[Any, bytes]] = {}
_numbers: Final[dict[Any, bytes]] = {}
"""Encoded moves that are strings, and those that are ints."""
_known: Final[dict[type[Any], dict[Any, bytes]]] = {str: _texts, int: _numbers}
"""Both caches by the type of the move."""
_wholes: Final[dict[bytes, tuple[Any, bytes]]] = {}
"""Any moves and rows of moves with their encoding, by their bytes in marshal."""
_same: Final[dict[int, bytes]] = {}
"""The encoding of objects that were passed before, by the object's identity."""


def answer_frame(nonce: int, moves: list[Any]) -> bytes:
    """The answer frame if all moves are strings or ints; else b""."""
    if frame_codec.COMPILED and (frame := frame_codec.answer_frame(nonce, moves, _texts, _numbers)):
        return frame
    try:
        encoded = _encoded(moves)
    except KeyError:
        if not _know(moves):
            return b""
        encoded = _encoded(moves)
    return b'["say",%d,[%b],[]]' % (nonce, encoded)


def _encoded(moves: list[Any]) -> bytes:
    """These moves in JSON. Raises KeyError if one is not cached."""
    kinds = set(map(type, moves))
    if len(kinds) == 1:
        return b",".join(map(_known[kinds.pop()].__getitem__, moves))
    return b",".join([_known[type(move)][move] for move in moves])


def answer_frame_of_rows(nonce: int, moves: list[Any], rows: list[int]) -> bytes:
    """The answer frame with one move or row of moves per line; `rows` are the places of the rows.
    Raises ValueError or TypeError if JSON cannot hold a move."""
    encoded = b",\n".join([_whole(move) for move in moves])
    return b'["say",%d,[\n%b\n],[],%b]' % (nonce, encoded, to_bytes(rows))


def _whole(move: Any) -> bytes:
    """The move in JSON, cached by its bytes in marshal, which distinguishes 1 from True.

    If a driver passes the same row object again, its encoding is found by the object's identity.
    """
    encoded = _same.get(id(move))
    if encoded is not None:
        return encoded
    key = marshal.dumps(move, _UNSHARED)
    known = _wholes.get(key)
    if known is None:
        encoded = to_bytes(move)
        if len(_wholes) < _KNOWN and len(key) <= _KEY:
            _wholes[key] = move, encoded
        return encoded
    first, encoded = known
    if first is move and type(move) is tuple:
        _same[id(move)] = encoded
    return encoded


def is_long(row: tuple[Any, ...]) -> bool:
    """Whether the row must be handed over in parts. False if JSON cannot hold it."""
    try:
        return len(_whole(row)) > ROW_BYTES
    except (TypeError, ValueError, RecursionError):
        return False


def parts_of(row: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The row in parts of at most ROW_BYTES; a move that is longer is a part of its own."""
    parts: list[tuple[Any, ...]] = []
    room = 0
    for move in row:
        size = len(to_bytes(move)) + 1
        if size > room:
            parts.append(())
            room = ROW_BYTES - 1
        parts[-1] += (move,)
        room -= size
    return parts


def _know(moves: list[Any]) -> bool:
    """Whether all these moves are cached; encodes and caches them if possible."""
    for move in moves:
        known = _known.get(type(move))
        if known is None or len(known) >= _KNOWN:
            return False
        try:
            known[move] = to_bytes(move)
        except ValueError:
            return False
    return True


def to_bytes(message: Any) -> bytes:
    """The message in JSON as it is sent; a lone surrogate becomes a question mark."""
    return _to_text(message).encode("utf-8", "replace")
