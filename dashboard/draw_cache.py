"""Caches parts of pages, for all visitors who see the same. Knows no page."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Generic, TypeVar

from markupsafe import Markup

T = TypeVar("T")


class DrawCache(Generic[T]):
    """Keeps the `most` pieces that were used last. Equal keys must mean equal pieces."""

    def __init__(self, most: int) -> None:
        self._kept: Callable[[_Piece[T]], T] = lru_cache(maxsize=most)(_draw)

    def get(self, key: Hashable, draw: Callable[[], T]) -> T:
        """Returns the piece with this key. Draws it if there is none."""
        return self._kept(_Piece(key, [draw]))


@dataclass(frozen=True, slots=True)
class _Piece(Generic[T]):
    key: Hashable
    draw: list[Callable[[], T]] = field(compare=False)
    """Emptied once its function has been called, so that a cached piece keeps no answers alive."""


def _draw(one: _Piece[T]) -> T:
    return one.draw.pop()()


_HTML: Final = DrawCache[Markup](64)


def cached(key: Hashable, draw: Callable[[], str]) -> Markup:
    """Returns the cached HTML with this key. Draws it if there is none."""
    return _HTML.get(key, lambda: Markup(draw()))
