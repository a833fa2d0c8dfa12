"""The names of arenas on other hosts: each name ends with the name of the host's key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import InstrumentedAttribute

MARK: Final = "@key:"
"""The text between an arena's name and the name of its key. No arena here has it in its name, since
no host's name has it."""
MAX_ARENAS: Final = 64
"""The most arenas that may play with one key."""


def arena_name(key: str, number: int) -> str:
    """Returns the full name of the arena with that number, such as lab-1@key:lab."""
    return f"{key}-{number}{MARK}{key}"


def key_of(arena: str) -> str:
    """Returns the name of the key that the arena plays with; empty if it has none."""
    return arena.partition(MARK)[2]


def of_key(
    arena: InstrumentedAttribute[str] | InstrumentedAttribute[str | None], key: str
) -> ColumnElement[bool]:
    """Returns the condition that a column names an arena with this key."""
    return arena.endswith(MARK + key, autoescape=True)
