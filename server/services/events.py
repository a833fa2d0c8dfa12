"""Public events, and the cleaning of texts that come from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, insert, select

from server.db.models import Event
from server.db.session import rows_changed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

KEPT: Final = 10_000
"""The number of events that are kept."""
SUBJECT: Final = 64
"""The most characters of an event's subject."""
_INSERT: Final = insert(Event)


def publish(session: Session, kind: str, subject: object, *, now: int) -> None:
    """Writes an event. It names the row that has changed, and holds nothing that is not public."""
    publish_each(session, kind, [subject], now=now)


def publish_each(session: Session, kind: str, subjects: Iterable[object], *, now: int) -> None:
    """Writes an event of this kind for each of the subjects."""
    events = [{"kind": kind, "subject": str(one)[:SUBJECT], "at": now} for one in subjects]
    if events:
        session.connection().execute(_INSERT, events)


def trim(session: Session) -> int:
    """Deletes all but the newest KEPT events; returns how many it deleted."""
    newest = session.scalar(select(func.max(Event.id))) or 0
    return rows_changed(session, delete(Event).where(Event.id <= newest - KEPT))


def longest_log(settings: Settings) -> int:
    """Returns how many characters of a bot's output are stored at most."""
    return 4 * max(settings.log_bytes, 1024)


def storable(text: str, limit: int) -> str:
    """Returns the first `limit` characters of the text, as a database can store them.

    NUL and lone surrogates are replaced.
    """
    clean = text[:limit].replace("\0", "\ufffd")
    return clean.encode("utf-8", "replace").decode("utf-8")
