"""What a seat answers, in JSON: moves that were made before are written once.

Knows how an answer is written; decides nothing. Runs on the standard library alone.
"""

from __future__ import annotations

import json
import marshal
from typing import Any, Final

from matchbox.match import frame_codec

_KNOWN: Final = 1000
"""So many different moves are kept as they are written in JSON."""
_KEY: Final = 500
"""Bytes of a row that is kept so."""
_UNSHARED: Final = 2
"""A format of marshal in which what is equal is written alike, whatever else holds it."""
_to_text: Final = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode


def encodes(move: object) -> bool:
    """Whether JSON can hold it."""
    try:
        _to_text(move)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


_texts: Final[dict[Any, bytes]] = {}
_numbers: Final[dict[Any, bytes]] = {}
"""Moves as they are written in JSON,"""
_known: Final[dict[type[Any], dict[Any, bytes]]] = {str: _texts, int: _numbers}
"""by their type."""
_wholes: Final[dict[bytes, tuple[Any, bytes]]] = {}
"""Moves in a row and how they are written, by what marshal makes of them,"""
_same: Final[dict[int, bytes]] = {}
"""and how those of them are written that were handed over again, by their identity."""


def said(nonce: int, moves: list[Any]) -> bytes:
    """The answer where it holds nothing but texts and whole numbers, else nothing."""
    if frame_codec.COMPILED and (frame := frame_codec.said(nonce, moves, _texts, _numbers)):
        return frame
    try:
        told = _told(moves)
    except KeyError:
        if not _know(moves):
            return b""
        told = _told(moves)
    return b'["say",%d,[%b],[]]' % (nonce, told)


def _told(moves: list[Any]) -> bytes:
    """These moves, in JSON. Raises KeyError where one is not known."""
    kinds = set(map(type, moves))
    if len(kinds) == 1:
        return b",".join(map(_known[kinds.pop()].__getitem__, moves))
    return b",".join([_known[type(move)][move] for move in moves])


def said_in_rows(nonce: int, moves: list[Any], rows: list[int]) -> bytes:
    """The answer where some moves are made in a row, each in a line. Raises ValueError or
    TypeError."""
    told = b",\n".join([_whole(move) for move in moves])
    return b'["say",%d,[\n%b\n],[],%b]' % (nonce, told, to_bytes(rows))


def _whole(move: Any) -> bytes:
    """The move in JSON: known by what marshal makes of it, which tells 1 from True.

    A row that a driver has kept, and hands over once more, is known by itself.
    """
    told = _same.get(id(move))
    if told is not None:
        return told
    key = marshal.dumps(move, _UNSHARED)
    known = _wholes.get(key)
    if known is None:
        told = to_bytes(move)
        if len(_wholes) < _KNOWN and len(key) <= _KEY:
            _wholes[key] = move, told
        return told
    first, told = known
    if first is move and type(move) is tuple:
        _same[id(move)] = told
    return told


def _know(moves: list[Any]) -> bool:
    """Whether all these moves are among those whose JSON is known, as they now are if they can."""
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
    """The message as it is sent; half a character becomes a question mark."""
    return _to_text(message).encode("utf-8", "replace")
