"""Caches HTML that was drawn, for all visitors who see the same. Knows no page."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from markupsafe import Markup

MOST: Final = 64
"""The number of pieces of HTML that a process caches."""


def drawn(key: Hashable, draw: Callable[[], str]) -> Markup:
    """Returns the cached HTML with this key. Equal keys must mean equal HTML.

    Draws it if there is none.
    """
    return _kept(_Piece(key, [draw]))


@dataclass(frozen=True, slots=True)
class _Piece:
    key: Hashable
    draw: list[Callable[[], str]] = field(compare=False)
    """Emptied once its function has been called, so that a cached piece keeps no answers alive."""


@lru_cache(maxsize=MOST)
def _kept(one: _Piece) -> Markup:
    return Markup(one.draw.pop()())
