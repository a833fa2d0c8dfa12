"""The edge of the books: times as texts, cursors, titles, who owns what."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeVar, overload

from matchbox import registry
from matchbox.errors import BadOption, MatchboxError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from server.db.models import User

Row = TypeVar("Row")

MOST: Final = 200
"""The most items of a page."""


@overload
def iso(at: int) -> str: ...
@overload
def iso(at: int | None) -> str | None: ...
def iso(at: int | None) -> str | None:
    """A time of the books as ISO 8601, in UTC with milliseconds."""
    if at is None:
        return None
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def title_of(game: str) -> str:
    """The game's title; its name where it is no longer installed."""
    try:
        return registry.game(game).spec.title
    except MatchboxError:
        return game


def sees(viewer: User | None, owner_id: int) -> bool:
    """True for the owner and for operators."""
    return viewer is not None and (viewer.id == owner_id or viewer.operator)


def page_size(limit: int) -> int:
    """The number of items asked for. Raises BadOption."""
    if not 1 <= limit <= MOST:
        raise BadOption(f"a page has 1 to {MOST} items, not {limit}")
    return limit


def split(
    found: Sequence[Row], limit: int, key: Callable[[Row], str]
) -> tuple[Sequence[Row], str | None]:
    """The page's rows and its next cursor; `found` holds one row more if a next page exists."""
    shown = found[:limit]
    return shown, key(shown[-1]) if len(found) > limit else None


def numbers(cursor: str, count: int) -> tuple[int, ...]:
    """The whole numbers that a cursor holds. Raises BadOption."""
    parts = cursor.split(".")
    if len(parts) != count or not all(_is_number(part) for part in parts):
        raise BadOption(f"{cursor!r} is no cursor; use the `next` of the page before")
    return tuple(int(part) for part in parts)


def _is_number(text: str) -> bool:
    """True for a whole number that a column can hold."""
    return text.isascii() and text.isdecimal() and len(text) < 19
