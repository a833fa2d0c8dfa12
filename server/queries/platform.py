"""The platform itself: its walls, events and accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import joinedload

from matchbox.answers import platform as answers
from matchbox.answers.accounts import Account, FreshToken, SessionLine, TokenLine
from matchbox.answers.matches import ParkedMatch
from server.db.models import (
    Bot,
    Event,
    Match,
    MatchState,
    Role,
    User,
    Version,
    VersionState,
)
from server.db.session import count_rows
from server.queries import match_lines
from server.queries.lessons import parked_lessons
from server.services import accounts, walls
from server.services import sessions as services
from server.services.tryouts import TRY_OUT
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import BrowserSession, Token

MAX_PARKED: Final = 200
PEOPLE: Final = (User.role != Role.HOUSE, User.deleted_at.is_(None))
"""The conditions for the accounts of people."""


def events(session: Session, after: int, limit: int = 200) -> list[answers.Event]:
    """Returns the events after the one with the number `after`, oldest first."""
    query = select(Event).where(Event.id > after).order_by(Event.id).limit(limit)
    return [
        answers.Event(id=row.id, kind=row.kind, subject=row.subject, at=iso(row.at))
        for row in session.scalars(query)
    ]


def last_event(session: Session) -> int:
    """Returns the number of the newest event, or 0."""
    return session.scalar(select(func.max(Event.id))) or 0


def misses_events(session: Session, after: int) -> bool:
    """True if events after this number are gone, or if a restored backup does not know it yet."""
    oldest = session.scalar(select(func.min(Event.id)))
    return after > last_event(session) or (oldest is not None and after + 1 < oldest)


def account(user: User) -> Account:
    """Returns an account's name and role."""
    return Account(name=user.name, role=user.role)


def tokens(
    session: Session, user: User, *, since: int | None = None, revoked: bool = False
) -> list[TokenLine]:
    """Returns the account's API tokens that are not revoked, and did not expire before `since`.

    With `revoked`, adds those that were revoked after that time.
    """
    rows = accounts.tokens(session, user, since=since, revoked=revoked)
    return [_token(row) for row in rows]


def fresh_token(session: Session, secret: str, *, now: int) -> FreshToken:
    """Returns a new token with its secret, which is shown only once."""
    row = accounts.token_of(session, secret, now=now)
    assert row.user is not None
    known = _token(row)
    return FreshToken(
        token=secret,
        account=row.user.name,
        role=row.user.role,
        scopes=known.scopes,
        ends_at=known.ends_at,
    )


def sessions(session: Session, user: User, current: int | None, *, now: int) -> list[SessionLine]:
    """Returns the browsers in which the account is logged in."""
    rows = services.sessions(session, user, now=now)
    return [session_line(row, current) for row in rows]


def session_line(row: BrowserSession, current: int | None) -> SessionLine:
    """Returns the session as an answer; `current` is the number of the request's session."""
    return SessionLine(
        id=row.id,
        browser=row.browser,
        address=row.address,
        created_at=iso(row.created_at),
        seen_at=iso(row.seen_at),
        ends_at=iso(row.ends_at),
        current=row.id == current,
    )


def _token(row: Token) -> TokenLine:
    return TokenLine(
        id=row.id,
        name=row.name,
        created_at=iso(row.created_at),
        used_at=iso(row.used_at),
        revoked_at=iso(row.revoked_at),
        scopes=row.scopes.split(),
        ends_at=iso(row.ends_at),
    )


def admin(session: Session, viewer: User | None, *, now: int) -> answers.Admin:
    """Returns the operators' overview. Raises Forbidden for others."""
    operator = accounts.require_operator_to_see(viewer)
    parked = select(Match.id).where(Match.state == MatchState.PARKED).order_by(Match.created_at)
    rows = match_lines.rows_of(session, session.scalars(parked.limit(MAX_PARKED)).all())[::-1]
    lines = match_lines.lines_of(session, rows, [row.id for row in rows])
    return answers.Admin(
        wall=_wall(session, now),
        parked_matches=[
            ParkedMatch(**vars(line), trouble=row.trouble)
            for line, row in zip(lines, rows, strict=True)
        ],
        parked_versions=_troubled(session, TRY_OUT.parked),
        parked_lessons=parked_lessons(session, operator),
        quarantined=_troubled(session, Version.state == VersionState.QUARANTINED),
        users=count_rows(session, User, *PEOPLE),
    )


def _troubled(session: Session, which: ColumnElement[bool]) -> list[answers.TroubledVersion]:
    query = select(Version).where(which).order_by(Version.id).limit(MAX_PARKED)
    query = query.options(joinedload(Version.bot).joinedload(Bot.owner))
    return [
        answers.TroubledVersion(
            id=row.id, bot=row.bot.full_name, number=row.number, trouble=row.trouble
        )
        for row in session.scalars(query)
    ]


def _wall(session: Session, now: int) -> answers.Wall | None:
    found = walls.wall(session)
    if not found.arenas:
        return None
    reports = found.arenas.values()
    return answers.Wall(
        walled=found.walled,
        box=found.box,
        missing=[report.why for report in reports if not report.walled],
        reported_at=iso(max(report.at for report in reports)),
        silent=walls.silent(session, now=now),
    )
