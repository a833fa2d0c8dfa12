"""The browser sessions in which accounts are logged in. Keeps their rows; sets no cookie.

A session's cookie holds the secret of its row. A logout or a new password deletes the row, so that
copies of the cookie stop working too. SQLite may give the row's number to the next session, so what
a request found before is named by its secret.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, or_, select, update

from matchbox.errors import Forbidden, NotFound
from server.db.models import BrowserSession, User
from server.db.session import rows_changed
from server.services.passwords import digest_of
from server.times import DAY_MS, MINUTE_MS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

LIFE_DAYS: Final = 30
"""A session ends when it has not been used for this long."""
LIFE_MS: Final = LIFE_DAYS * DAY_MS
NOTED_MS: Final = 600_000
"""The least time between two updates of a session's last use, in ms."""
MOVED_MS: Final = MINUTE_MS
"""The same, if the session is used from another address."""
ADDRESS: Final = 45
"""The most characters of an IP address."""
MAX_SESSIONS: Final = 50
"""The most sessions of an account. A new one replaces the one that was used longest ago."""
_BROWSERS: Final = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox", "Firefox"), ("Chrom", "Chrome"),
    ("Safari", "Safari"), ("curl", "curl"),
)  # fmt: skip
"""Parts of User-Agent headers, each with a browser's name. The first match counts."""
_SYSTEMS: Final = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def begin(session: Session, user: User, *, agent: str, address: str | None = None, now: int) -> str:
    """Begins a session for a browser that has sent the account's password from an IP address.

    Returns the secret for its cookie. Raises Forbidden if the password has changed since it was
    checked.
    """
    session.execute(delete(BrowserSession).where(BrowserSession.ends_at <= now))
    found = session.get(User, user.id)
    if found is None or found.password != user.password or found.closed_at is not None:
        raise Forbidden("the password has just been changed; log in again")
    for idle in sessions(session, user, now=now)[MAX_SESSIONS - 1 :]:
        session.delete(idle)
    secret = secrets.token_urlsafe(32)
    row = BrowserSession(
        digest=digest_of(secret),
        user_id=user.id,
        browser=browser_of(agent),
        created_at=now,
        seen_at=now,
        address=_stored(address),
        ends_at=now + LIFE_MS,
    )
    session.add(row)
    session.flush()
    return secret


def session_of(session: Session, secret: str, *, now: int) -> BrowserSession | None:
    """Returns the session with this secret; None if there is none, or if it has ended.

    A closed account has none.
    """
    query = select(BrowserSession).join(BrowserSession.user).where(User.closed_at.is_(None))
    query = query.where(BrowserSession.digest == digest_of(secret))
    return session.scalar(query.where(BrowserSession.ends_at > now))


def is_stale(row: BrowserSession, address: str | None, *, now: int) -> bool:
    """Whether the session's last use, or its address, is to be updated by `note_use` now."""
    moved = row.address != _stored(address)
    return now - row.seen_at >= (MOVED_MS if moved else NOTED_MS)


def note_use(session: Session, secret: str, *, address: str | None = None, now: int) -> None:
    """Updates the last use and the address of the session with this secret, and extends it.

    Does so at most once in NOTED_MS, or in MOVED_MS if the address is another one.
    """
    values = {"seen_at": now, "address": _stored(address), "ends_at": now + LIFE_MS}
    moved = BrowserSession.address.is_distinct_from(values["address"])
    stale = or_(
        BrowserSession.seen_at <= now - NOTED_MS,
        and_(BrowserSession.seen_at <= now - MOVED_MS, moved),
    )
    row = update(BrowserSession).where(BrowserSession.digest == digest_of(secret), stale)
    session.execute(row.values(**values))


def sessions(session: Session, user: User, *, now: int) -> Sequence[BrowserSession]:
    """Returns the account's sessions that have not ended, the last used first."""
    mine = (BrowserSession.user_id == user.id, BrowserSession.ends_at > now)
    order = (BrowserSession.seen_at.desc(), BrowserSession.id.desc())
    return session.scalars(select(BrowserSession).where(*mine).order_by(*order)).all()


def end(session: Session, user: User, number: int) -> None:
    """Ends one of the account's sessions. Raises NotFound if the account has no such session."""
    mine = (BrowserSession.id == number, BrowserSession.user_id == user.id)
    if rows_changed(session, delete(BrowserSession).where(*mine)) != 1:
        raise NotFound(f"{user.name} has no session {number}")


def forget(session: Session, secret: str) -> None:
    """Ends the session with this secret, if it has not ended yet."""
    session.execute(delete(BrowserSession).where(BrowserSession.digest == digest_of(secret)))


def end_all(session: Session, user: User, *, but: int | None = None) -> int:
    """Ends every session of the account except `but`; returns how many it ended."""
    others = (BrowserSession.user_id == user.id, BrowserSession.id != (but or 0))
    return rows_changed(session, delete(BrowserSession).where(*others))


def _stored(address: str | None) -> str | None:
    return address[:ADDRESS] if address else None


def browser_of(agent: str) -> str:
    """Returns a short name of the browser with this User-Agent header, such as Firefox on Linux."""
    named = [name for mark, name in _BROWSERS if mark in agent]
    on = [name for mark, name in _SYSTEMS if mark in agent]
    if named:
        return f"{named[0]} on {on[0]}" if on else named[0]
    plain = re.sub(r"[^ -~]", "", agent).strip()
    return plain[:64] or "unknown"
