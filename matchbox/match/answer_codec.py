"""Encodes a seat's answers in JSON; caches the moves that occurred before.

Knows how an answer is written; decides nothing. Runs on the standard library alone.
"""

from __future__ import annotations

import json
import marshal
from typing import Any, Final

from matchbox.match import frame_codec

_CACHE_SIZE: Final = 1000
"""The cache keeps at most this many encoded moves."""
_MAX_KEY: Final = 500
"""The longest encoded row of moves that is cached, in bytes."""
ROW_BYTES: Final = 240
"""A longer row of moves is handed over in parts. The limit of a frame has room for 256 bytes per
answer, and the comma and index of each row need some of it."""
_MARSHAL_FORMAT: Final = 2
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
_by_type: Final[dict[type[Any], dict[Any, bytes]]] = {str: _texts, int: _numbers}
"""Both caches by the type of the move."""
_by_marshal: Final[dict[bytes, tuple[Any, bytes]]] = {}
"""Moves and rows of moves of any type, with their encoding, by their bytes in marshal."""
_by_identity: Final[dict[int, bytes]] = {}
"""The encoding of objects that were passed before, by the object's identity."""


def answer_frame(nonce: int, moves: list[Any]) -> bytes:
    """The answer frame if all moves are strings or ints; else b""."""
    if frame_codec.COMPILED and (frame := frame_codec.answer_frame(nonce, moves, _texts, _numbers)):
        return frame
    try:
        encoded = _encoded(moves)
    except KeyError:
        if not _cache_all(moves):
            return b""
        encoded = _encoded(moves)
    return b'["say",%d,[%b],[]]' % (nonce, encoded)


def _encoded(moves: list[Any]) -> bytes:
    """These moves in JSON. Raises KeyError if one is not cached."""
    kinds = set(map(type, moves))
    if len(kinds) == 1:
        return b",".join(map(_by_type[kinds.pop()].__getitem__, moves))
    return b",".join([_by_type[type(move)][move] for move in moves])


def answer_frame_of_rows(nonce: int, moves: list[Any], rows: list[int]) -> bytes:
    """The answer frame with one move or row of moves per line; `rows` are the indices of the rows.
    Raises ValueError or TypeError if JSON cannot hold a move."""
    encoded = b",\n".join([_encode_any(move) for move in moves])
    return b'["say",%d,[\n%b\n],[],%b]' % (nonce, encoded, to_bytes(rows))


def _encode_any(move: Any) -> bytes:
    """The move in JSON, cached by its bytes in marshal, which distinguishes 1 from True.

    If a driver passes the same row object again, its encoding is found by the object's identity.
    """
    encoded = _by_identity.get(id(move))
    if encoded is not None:
        return encoded
    key = marshal.dumps(move, _MARSHAL_FORMAT)
    known = _by_marshal.get(key)
    if known is None:
        encoded = to_bytes(move)
        if len(_by_marshal) < _CACHE_SIZE and len(key) <= _MAX_KEY:
            _by_marshal[key] = move, encoded
        return encoded
    first, encoded = known
    if first is move and type(move) is tuple:
        _by_identity[id(move)] = encoded
    return encoded


def is_long(row: tuple[Any, ...]) -> bool:
    """Whether the row must be handed over in parts. False if JSON cannot hold it."""
    try:
        return len(_encode_any(row)) > ROW_BYTES
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


def _cache_all(moves: list[Any]) -> bool:
    """Whether all these moves are cached; encodes and caches them if possible."""
    for move in moves:
        known = _by_type.get(type(move))
        if known is None or len(known) >= _CACHE_SIZE:
            return False
        try:
            known[move] = to_bytes(move)
        except ValueError:
            return False
    return True


def to_bytes(message: Any) -> bytes:
    """The message in JSON as it is sent; a lone surrogate becomes a question mark."""
    return _to_text(message).encode("utf-8", "replace")
