"""Remembers the people at whose tables a turn of the bots took long: those who opened them.

For an hour, the turns at all tables that they open queue among the matches and not before them, as
the try-outs of slow authors do: see turns.py. Joining a table makes nobody slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from server.db.models import PlayTable, Setting, Turn, User
from server.db.session import count_rows
from server.services import walls
from server.services.turns import SLOW_FOR_MS, SLOW_MS

if TYPE_CHECKING:
    from collections.abc import Set

    from sqlalchemy.orm import Session

NAME: Final = "slow at tables"
"""The name under which they are stored, each with the time of the last such turn, UTC in ms."""


def note(session: Session, table: PlayTable, seconds: float, *, now: int) -> None:
    """Notes that a turn at the table took an arena this long. Trusted people are never slow."""
    if seconds * 1000 <= SLOW_MS or table.opener_id is None:
        return
    if session.get_one(User, table.opener_id).trusted:
        return
    row = session.get(Setting, NAME)
    kept = {name: at for name, at in (row.value if row else {}).items() if _is_recent(at, now)}
    value = {**kept, str(table.opener_id): now}
    session.merge(Setting(name=NAME, value=value, changed_at=now))


def slow_people(session: Session, table: PlayTable, *, now: int) -> set[int]:
    """Returns the row numbers of all slow people if one of them opened the table; else none."""
    kept = session.scalar(select(Setting.value).where(Setting.name == NAME)) or {}
    slow = {int(name) for name, at in kept.items() if _is_recent(at, now)}
    return slow if table.opener_id in slow else set()


def has_room(session: Session, turn: Turn, slow: Set[int]) -> bool:
    """Whether this turn may be sent: those of slow people hold at most half of the arenas."""
    theirs = Turn.table.has(PlayTable.opener_id.in_(slow))
    sent = (Turn.wanted.is_(True), Turn.deadline.is_not(None), Turn.sent_at.is_not(None))
    held = count_rows(session, Turn, *sent, Turn.id != turn.id, theirs)
    return held < max(1, len(walls.wall(session).playing) // 2)


def _is_recent(at: int, now: int) -> bool:
    return abs(now - at) < SLOW_FOR_MS
