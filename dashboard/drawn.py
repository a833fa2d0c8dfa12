"""Keeps HTML that was drawn, for all who ask for the same. Knows no page."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from markupsafe import Markup

MOST: Final = 64
"""How many pieces a process keeps."""


def drawn(key: Hashable, draw: Callable[[], str]) -> Markup:
    """Returns the HTML that was drawn under this key, which names all that can be seen in it.

    Draws it if there is none.
    """
    return _kept(_Piece(key, [draw]))


@dataclass(frozen=True, slots=True)
class _Piece:
    key: Hashable
    draw: list[Callable[[], str]] = field(compare=False)
    """Emptied once it has been called: a piece that is kept holds nothing of what it shows."""


@lru_cache(maxsize=MOST)
def _kept(one: _Piece) -> Markup:
    return Markup(one.draw.pop()())
