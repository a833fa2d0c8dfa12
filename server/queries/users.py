"""The accounts, for operators: a list to search, one account, and who is logged in.

Changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import ColumnElement, func, or_, select, tuple_

from matchbox.answers import platform as answers
from matchbox.answers.accounts import LoggedIn, LoggedInLine
from matchbox.errors import BadOption, NotFound, quoted
from server.db.models import Bot, BrowserSession, Role, User
from server.db.session import count_rows
from server.queries.pagination import numbers, page_size, split
from server.queries.platform import PEOPLE, session_line, sessions, tokens
from server.services import classes
from server.services.accounts import listed_since, require_operator_to_see
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_STATES: Final = {"open": User.closed_at.is_(None), "closed": User.closed_at.is_not(None)}


def users(
    session: Session,
    viewer: User | None,
    *,
    wanted: str = "",
    role: str | None = None,
    state: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> answers.Users:
    """Returns a page of the accounts by name, without the house's and deleted ones.

    `wanted` is a part of the name, of the e-mail address or of the note; `state` is open or closed.
    The cursor is the number of a page; one that is too large gives the last page. After a dot it
    may have the name that the page follows: then changes of the list move nobody past the reader.
    Raises Forbidden unless the viewer is an operator, and BadOption for a bad role, state, cursor
    or limit.
    """
    require_operator_to_see(viewer)
    which = _which(wanted, role, state)
    found = count_rows(session, User, *which)
    pages = max(1, -(-found // page_size(limit)))
    number, _, last = (cursor if cursor is not None else "1").partition(".")
    page = min(max(numbers(number, 1)[0], 1), pages)
    query = select(User).where(*which).order_by(User.name).limit(limit + 1)
    query = query.where(User.name > last) if last else query.offset((page - 1) * limit)
    found_here = session.scalars(query).all()
    rows, following = split(found_here, limit, lambda row: f"{page + 1}.{row.name}")
    bots = _bots(session, [row.id for row in rows])
    return answers.Users(
        items=[_user(row, bots.get(row.id, 0)) for row in rows],
        page=page,
        pages=pages,
        found=found,
        next=following,
    )


def user(session: Session, viewer: User | None, name: str, *, now: int) -> answers.UserDetail:
    """Returns an account for operators. Raises Forbidden for others, or NotFound."""
    require_operator_to_see(viewer)
    row = session.scalar(select(User).where(User.name == name, *PEOPLE))
    if row is None:
        raise NotFound(f"there is no account {quoted(name)}")
    return answers.UserDetail(
        **vars(_user(row, _bots(session, [row.id]).get(row.id, 0))),
        sessions=sessions(session, row, None, now=now),
        tokens=tokens(session, row, since=listed_since(now), revoked=True),
        leagues=[league.name for league in classes.leagues_of(session, row)],
    )


def logged_in(
    session: Session,
    viewer: User | None,
    current: int | None,
    *,
    now: int,
    cursor: str | None = None,
    limit: int = 50,
) -> LoggedIn:
    """Returns a page of everybody's sessions that have not ended, the last used first.

    `current` is the number of the request's session. Raises Forbidden unless the viewer is an
    operator, and BadOption for a bad cursor or limit.
    """
    require_operator_to_see(viewer)
    order = BrowserSession.ends_at, BrowserSession.id  # the order of last use
    query = select(BrowserSession, User.name).join(BrowserSession.user)
    query = query.where(BrowserSession.ends_at > now)
    if cursor is not None:
        query = query.where(tuple_(*order) < tuple_(*numbers(cursor, 2)))
    query = query.order_by(*(column.desc() for column in order))
    found = session.execute(query.limit(page_size(limit) + 1)).all()
    shown, following = split(found, limit, lambda line: f"{line[0].ends_at}.{line[0].id}")
    items = [LoggedInLine(account=name, **vars(session_line(row, current))) for row, name in shown]
    return LoggedIn(items=items, next=following)


def _which(wanted: str, role: str | None, state: str | None) -> list[ColumnElement[bool]]:
    which: list[ColumnElement[bool]] = [*PEOPLE]
    if text := wanted.strip().lower():
        parts = (User.name, func.lower(User.email), func.lower(User.note))
        # A Postgres of the locale C lowers no letters beyond ASCII.
        as_typed = User.note.contains(wanted.strip(), autoescape=True)
        which.append(or_(as_typed, *(part.contains(text, autoescape=True) for part in parts)))
    if role is not None:
        if role not in (Role.AUTHOR, Role.OPERATOR):
            raise BadOption(f"there is no role {quoted(role)}; the roles are author and operator")
        which.append(User.role == role)
    if state is not None:
        if state not in _STATES:
            raise BadOption(f"an account is open or closed, not {quoted(state)}")
        which.append(_STATES[state])
    return which


def _bots(session: Session, owners: list[int]) -> dict[int, int]:
    query = select(Bot.owner_id, func.count()).where(Bot.owner_id.in_(owners))
    return dict(session.execute(query.group_by(Bot.owner_id)).all())


def _user(row: User, bots: int) -> answers.User:
    return answers.User(
        id=row.id,
        name=row.name,
        role=row.role,
        email=row.email,
        bots=bots,
        created_at=iso(row.created_at),
        closed_at=iso(row.closed_at),
        note=row.note,
    )
