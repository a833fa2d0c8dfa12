"""Cursors, titles and the owner's rights, for all queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from matchbox import registry
from matchbox.errors import BadOption, MatchboxError, quoted
from matchbox.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from server.db.models import Bot, Comparison, Lesson, Notice, User

Row = TypeVar("Row")
Numbered = TypeVar("Numbered", "Bot", "Comparison", "Lesson", "Notice")

MAX_ITEMS: Final = 200
"""The largest number of items on a page."""


def title_of(game: str) -> str:
    """Returns the game's title, or its name if it is no longer installed."""
    try:
        return registry.game(game).spec.title
    except MatchboxError:
        return game


def sees(viewer: User | None, owner_id: int) -> bool:
    """Returns True for the owner and for operators."""
    return viewer is not None and (viewer.id == owner_id or viewer.operator)


def page_size(limit: int) -> int:
    """Returns the limit if it is allowed. Raises BadOption."""
    if not 1 <= limit <= MAX_ITEMS:
        raise BadOption(f"a page has 1 to {MAX_ITEMS} items, not {limit}")
    return limit


def split(
    found: Sequence[Row], limit: int, key: Callable[[Row], str]
) -> tuple[Sequence[Row], str | None]:
    """Returns the page's rows and the cursor of the next page, or None.

    `found` contains one row more than `limit` if there is a next page.
    """
    shown = found[:limit]
    return shown, key(shown[-1]) if len(found) > limit else None


def newest(
    session: Session,
    query: Select[Numbered],
    table: type[Numbered],
    cursor: str | None,
    limit: int,
) -> tuple[Sequence[Numbered], str | None]:
    """Returns a page of the selected rows of `table`, newest first, and the cursor of the next
    page, or None. Raises BadOption."""
    if cursor is not None:
        query = query.where(table.id < numbers(cursor, 1)[0])
    query = query.order_by(None).order_by(table.id.desc()).limit(page_size(limit) + 1)
    return split(session.scalars(query).all(), limit, lambda row: str(row.id))


def numbers(cursor: str, count: int) -> tuple[int, ...]:
    """Returns the whole numbers in a cursor. Raises BadOption."""
    parts = cursor.split(".")
    found = [number for part in parts if (number := whole_number(part, 18)) is not None]
    if not len(found) == len(parts) == count:
        raise BadOption(f"{quoted(cursor)} is not a cursor; use the `next` of the page before")
    return tuple(found)
