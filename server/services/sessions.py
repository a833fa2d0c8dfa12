"""Sessions: the browsers in which an account is logged in. Knows rows; sets no cookie.

A cookie names a row, so that a copied cookie ends with the logout, or with the password.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select, update

from matchbox.errors import Forbidden, NotFound
from server.db.models import BrowserSession, User
from server.db.session import rows_changed
from server.services.passwords import digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

LIFE_DAYS: Final = 30
"""A session ends after it has not been used for this long."""
LIFE_MS: Final = LIFE_DAYS * 86_400_000
NOTED_MS: Final = 600_000
"""The least time between two notes of a session's use."""
MOST: Final = 50
"""Sessions of an account at a time; the oldest makes room for a new one."""
_BROWSERS: Final = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox", "Firefox"), ("Chrom", "Chrome"),
    ("Safari", "Safari"), ("curl", "curl"),
)  # fmt: skip
"""Parts of User-Agent headers, with the browser's name; the first match counts."""
_SYSTEMS: Final = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def begin(session: Session, user: User, *, agent: str, now: int) -> str:
    """Begins a session for a browser that has given the account's password; the cookie's secret.

    Raises Forbidden if the password has changed since it was looked at.
    """
    session.execute(delete(BrowserSession).where(BrowserSession.ends_at <= now))
    if session.scalar(select(User.password).where(User.id == user.id)) != user.password:
        raise Forbidden("the password has just been changed; log in again")
    for idle in sessions(session, user, now=now)[MOST - 1 :]:
        session.delete(idle)
    secret = secrets.token_urlsafe(32)
    row = BrowserSession(
        digest=digest_of(secret),
        user_id=user.id,
        browser=browser_of(agent),
        created_at=now,
        seen_at=now,
        ends_at=now + LIFE_MS,
    )
    session.add(row)
    session.flush()
    return secret


def session_of(session: Session, secret: str, *, now: int) -> BrowserSession | None:
    """The session that a cookie names, while it lasts."""
    query = select(BrowserSession).where(BrowserSession.digest == digest_of(secret))
    return session.scalar(query.where(BrowserSession.ends_at > now))


def note_use(session: Session, number: int, *, now: int) -> None:
    """Keeps that a session is used, and lets it last from now on; once in NOTED_MS is enough."""
    stale = (BrowserSession.id == number, BrowserSession.seen_at <= now - NOTED_MS)
    values = {"seen_at": now, "ends_at": now + LIFE_MS}
    session.execute(update(BrowserSession).where(*stale).values(**values))


def sessions(session: Session, user: User, *, now: int) -> Sequence[BrowserSession]:
    """The account's sessions that last, the one used last first."""
    mine = (BrowserSession.user_id == user.id, BrowserSession.ends_at > now)
    order = (BrowserSession.seen_at.desc(), BrowserSession.id.desc())
    return session.scalars(select(BrowserSession).where(*mine).order_by(*order)).all()


def end(session: Session, user: User, number: int) -> None:
    """Ends one of the account's sessions. Raises NotFound."""
    mine = (BrowserSession.id == number, BrowserSession.user_id == user.id)
    if rows_changed(session, delete(BrowserSession).where(*mine)) != 1:
        raise NotFound(f"you have no session {number}")


def forget(session: Session, number: int) -> None:
    """Ends a session, if it has not ended yet."""
    session.execute(delete(BrowserSession).where(BrowserSession.id == number))


def end_all(session: Session, user: User, *, but: int | None = None) -> int:
    """Ends every session of the account, or all but one; returns how many."""
    others = (BrowserSession.user_id == user.id, BrowserSession.id != (but or 0))
    return rows_changed(session, delete(BrowserSession).where(*others))


def browser_of(agent: str) -> str:
    """A browser in a few words, from its User-Agent header."""
    named = [name for mark, name in _BROWSERS if mark in agent]
    on = [name for mark, name in _SYSTEMS if mark in agent]
    if named:
        return f"{named[0]} on {on[0]}" if on else named[0]
    plain = re.sub(r"[^ -~]", "", agent).strip()
    return plain[:64] or "unknown"
