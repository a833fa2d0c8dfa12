"""The audit log of actions, for operators. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import String, cast, select
from sqlalchemy.orm import joinedload

from matchbox.answers import platform as answers
from matchbox.errors import BadOption, Forbidden, quoted
from server.db.models import Audit, Bot, League, Season, User, Version
from server.queries.pagination import numbers, page_size, split
from server.services.audit import ACTIONS
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select
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

    `subject` is one such as season:3, or a kind and a name, as pages show them: "season spring".
    Raises Forbidden unless the viewer is an operator, and BadOption for a bad cursor or limit, or
    an action that does not exist.
    """
    if viewer is None or not viewer.operator:
        raise Forbidden("only operators may read the log")
    query = select(Audit, User.name).outerjoin(User, User.id == Audit.actor_id)
    if subject is not None:
        query = query.where(_is_about(session, subject))
    if action is not None:
        query = query.where(Audit.action == _known(session, action))
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


def _known(session: Session, action: str) -> str:
    """Returns the action. Raises BadOption if there is none such, nor was in an earlier version."""
    if action in ACTIONS or session.scalar(select(Audit.id).where(Audit.action == action).limit(1)):
        return action
    raise BadOption(f"there is no action {quoted(action)}; the actions: {', '.join(ACTIONS)}").of(
        "action"
    )


def _is_about(session: Session, text: str) -> ColumnElement[bool]:
    """Whether a line is about this: a subject such as season:3, or a kind and a name."""
    kind, space, name = text.strip().partition(" ")
    if not space or ":" in kind:
        return Audit.subject == text.strip()
    if kind == "match":  # Pages show the beginning of its id.
        return Audit.subject.startswith(f"match:{name}", autoescape=True)
    number = session.scalar(_number_of(kind, name)) if kind in _NAMED else name
    return Audit.subject == f"{kind}:{number}"


def _number_of(kind: str, name: str) -> Select[int]:
    """The query for the number of the row with this name."""
    table, _ = _NAMED[kind]
    if table not in (Bot, Version):
        return select(table.id).where(table.name == name)
    bot, _, version = name.rpartition(" v") if kind == "version" else (name, "", "")
    owner, _, own = bot.partition("/")
    bots = select(Bot.id).join(Bot.owner).where(User.name == owner, Bot.name == own)
    if table is Bot:
        return bots
    # As text: a number of any length is the name of none.
    which = cast(Version.number, String) == version
    return select(Version.id).where(Version.bot_id.in_(bots), which)


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
