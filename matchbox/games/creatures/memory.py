"""What the player who decides just now remembers: the bytes of its `parsed.json`.

A box holds one bot, but a test or a terminal may hold two, so the driver says whose turn it is.
Nothing is remembered yet unless somebody calls a player's `remember`.
"""

from __future__ import annotations

import json
from typing import Final

EMPTY: Final = b"{}"
"""A file in which nothing has been counted."""

Table = dict[str, dict[str, int]]
"""Wins ("W") and losses ("L") of the turns in which a card was summoned, by the card's name."""


class Now:
    """What is remembered just now; None is the desk, where files are files."""

    __slots__ = ("memory",)

    def __init__(self) -> None:
        self.memory: bytes | None = None


NOW: Final = Now()


def is_at_the_desk() -> bool:
    """True where no seat decides just now."""
    return NOW.memory is None


def remembered() -> Table:
    """The table that the deciding player remembers."""
    return read(NOW.memory or EMPTY)


def read(memory: bytes) -> Table:
    """The table in these bytes; an empty one for none. Raises ValueError for what is no table."""
    table = json.loads(memory) if memory and memory != EMPTY else {}
    if not isinstance(table, dict):
        raise ValueError("parsed.json must hold an object: {card: {'W': wins, 'L': losses}}")
    return table
