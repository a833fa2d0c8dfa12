"""The audit log of actions, for operators. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from matchbox.answers import platform as answers
from matchbox.errors import Forbidden
from server.db.models import Audit, Bot, League, Season, User, Version
from server.queries.pagination import numbers, page_size, split
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_NAMED: Final[dict[str, tuple[type[Any], Callable[[Any], str]]]] = {
    "league": (League, lambda row: row.name),
    "season": (Season, lambda row: row.name),
    "user": (User, lambda row: row.name),
    "bot": (Bot, lambda row: row.full_name),
    "version": (Version, lambda row: f"{row.bot.full_name} v{row.number}"),
}


def audit(
    session: Session,
    viewer: User | None,
    *,
    subject: str | None = None,
    action: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> answers.Audit:
    """Returns a page of the log, newest first; `subject` and `action` narrow it.

    Raises Forbidden unless the viewer is an operator, and BadOption for a bad cursor or limit.
    """
    if viewer is None or not viewer.operator:
        raise Forbidden("only operators may read the log")
    query = select(Audit, User.name).outerjoin(User, User.id == Audit.actor_id)
    if subject is not None:
        query = query.where(Audit.subject == subject)
    if action is not None:
        query = query.where(Audit.action == action)
    if cursor is not None:
        query = query.where(Audit.id < numbers(cursor, 1)[0])
    found = session.execute(query.order_by(Audit.id.desc()).limit(page_size(limit) + 1)).all()
    names = _names(session, {row.subject for row, _ in found})

    shown, following = split(found, limit, lambda line: str(line[0].id))
    items = [
        answers.AuditLine(
            id=row.id,
            at=iso(row.at),
            actor=actor,
            action=row.action,
            subject=row.subject,
            name=names.get(row.subject, row.subject.partition(":")[2]),
            detail=row.detail,
        )
        for row, actor in shown
    ]
    return answers.Audit(items=items, next=following)


def _names(session: Session, subjects: Iterable[str]) -> dict[str, str]:
    """Returns the names of the subjects; matches and deleted subjects have none."""
    wanted: dict[str, list[int]] = {}
    for subject in subjects:
        kind, _, number = subject.partition(":")
        if kind in _NAMED and number.isdecimal():
            wanted.setdefault(kind, []).append(int(number))
    names: dict[str, str] = {}
    for kind, rows in wanted.items():
        table, name_of = _NAMED[kind]
        query = select(table).where(table.id.in_(rows))
        if table is Bot:
            query = query.options(joinedload(Bot.owner))
        elif table is Version:
            query = query.options(joinedload(Version.bot).joinedload(Bot.owner))
        names |= {f"{kind}:{row.id}": name_of(row) for row in session.scalars(query)}
    return names
