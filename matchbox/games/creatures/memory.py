"""The memory of the player who is deciding: the bytes of its `parsed.json`.

A box holds one bot, but a test or a terminal may hold two, so the driver sets the player. A memory
is empty until somebody calls the player's `remember`.
"""

from __future__ import annotations

import json
from typing import Final

EMPTY: Final = b"{}"
"""The content of a file before anything has been counted."""

WinCounts = dict[str, dict[str, int]]
"""Wins ("W") and losses ("L") of the turns in which a card was summoned, by the card's name."""


class Now:
    """The memory of the deciding player; None at the terminal, where a player's file is a real
    file."""

    __slots__ = ("memory",)

    def __init__(self) -> None:
        self.memory: bytes | None = None


NOW: Final = Now()


def is_at_the_terminal() -> bool:
    """True at the terminal: no seat of a box is deciding."""
    return NOW.memory is None


def remembered() -> WinCounts:
    """The table in the deciding player's memory."""
    return read(NOW.memory or EMPTY)


def read(memory: bytes) -> WinCounts:
    """Decodes a table; no bytes are an empty table. Raises ValueError if they hold no table."""
    table = json.loads(memory) if memory and memory != EMPTY else {}
    if not isinstance(table, dict):
        raise ValueError("parsed.json must hold an object: {card: {'W': wins, 'L': losses}}")
    return table
