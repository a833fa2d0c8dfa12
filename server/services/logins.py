"""Slows down the guessing of passwords: after a few wrong ones, each pause is longer than the last.

The counts are in the database, so that all web processes share them. There are two limits:

- one for each account and network, so that an attacker elsewhere does not lock the owner out;
- one for each account over all networks together, with shorter pauses. Networks from which somebody
  has logged in to the account within the last 90 days are neither counted nor made to wait.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import delete, or_, select

from matchbox.errors import Forbidden, TooMany, Unavailable
from server.db.models import LoginAttempts
from server.db.session import rows_changed
from server.services import accounts
from server.times import DAY_MS, HOUR_MS, MINUTE_MS, has_passed

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from server.context import Context
    from server.db.models import User


@dataclass(frozen=True)
class Limit:
    """The number of wrong passwords that cost no pause, and the longest pause in ms."""

    free: int
    longest_ms: int

    def pause_ms(self, wrong: int) -> int:
        """Returns the pause in ms after this many wrong passwords.

        It is a second after the last free one, and doubles with each further one.
        """
        doubled = wrong - self.free
        return 0 if doubled < 0 else min(self.longest_ms, 1000 << min(doubled, 20))

    def left_ms(self, until: int, now: int) -> int:
        """Returns how many ms are left of the pause that ends then; 0 if it is over.

        One that is longer than any pause comes from a clock that was ahead, and counts as over.
        """
        left = until - now
        return left if 0 < left <= self.longest_ms else 0


class Before(NamedTuple):
    """A count of wrong passwords as it was before an attempt; the times are UTC in ms."""

    subject: str
    limit: Limit
    wrong: int
    wrong_at: int
    until: int


NETWORK: Final = Limit(free=3, longest_ms=5 * MINUTE_MS)
"""The limit for one account from one network."""
ACCOUNT: Final = Limit(free=30, longest_ms=MINUTE_MS)
"""The limit for one account from all networks together, except known ones."""
FORGOTTEN_MS: Final = HOUR_MS
"""The time in ms after which wrong passwords are forgotten: an hour after the last one."""
KNOWN_MS: Final = 90 * DAY_MS
"""The time in ms for which a network counts as known after a login: 90 days."""
FRESH_MS: Final = 10 * MINUTE_MS
"""The time in ms for which a login stands for the password of an account that has none."""
MAX_PER_TRANSACTION: Final = 500
"""The most counts that one transaction of `trim` deletes, since other writers wait for it."""
_EVERYWHERE: Final = "*"
_OTHERWISE: Final = ", or from where you have logged in before"


def log_in(context: Context, name: str, password: str, network: str) -> User:
    """Returns the account with that name and password. Spaces around the name are ignored: phones
    put one after a completed word.

    Raises Forbidden if one of them is wrong, or TooMany during a pause.
    """
    name = name.strip()
    with counting_failure(context, name, network), context.read() as session:
        return accounts.log_in(session, name, password)


def change_password(
    context: Context,
    actor: User,
    old: str,
    new: str,
    *,
    network: str,
    revoke: bool,
    begun: int | None = None,
    then: Callable[[Session, User], None] | None = None,
) -> User:
    """Changes the account's password, or sets its first one. Confirms it as `confirm` does.

    Calls `then` in the same transaction, such as to log in, since all sessions end. Returns the
    account. Raises the errors of `confirm`, `accounts.change_password` and `then`.
    """
    confirm(context, actor, old, network=network, begun=begun)
    with context.write() as session:
        now = context.now()
        user = accounts.change_password(session, actor, old, new, now=now, revoke=revoke)
        if then is not None:
            then(session, user)
        return user


def confirm(
    context: Context, actor: User, password: str, *, network: str, begun: int | None = None
) -> None:
    """Checks the actor's password before a change that a session alone must not make.

    A wrong one counts as a failed login. An account without a password must have logged in anew
    instead: `begun` is when the request's session began, or None without one. Raises Forbidden, or
    TooMany during a pause.
    """
    if actor.password is None:
        if begun is None or has_passed(FRESH_MS + 1, begun, context.now()):
            raise Forbidden(
                "your account has no password to confirm this with; log in again with a browser, "
                "and do this within ten minutes"
            )
        return
    with counting_failure(context, actor.name, network):
        accounts.check_password(actor, password)


@contextmanager
def counting_failure(context: Context, name: str, network: str) -> Iterator[None]:
    """Counts the block as a wrong password for that name, unless it ends without an error.

    Counts before the block runs, so that guesses made at the same time all count. Raises TooMany
    during a pause. A block that raises Unavailable has checked nothing, and does not count.
    """
    with context.write() as session:
        before = _count(session, context, name, network)
    try:
        yield
    except Unavailable:
        with context.write() as session:
            _take_back(session, before)
        raise
    with context.write() as session:
        _forgive(session, context, name, network)


def old(session: Session, *, now: int) -> Sequence[str]:
    """Returns the subjects of at most MAX_PER_TRANSACTION counts that no longer matter.

    They are for `trim`. It reads all counts, so a reader should call it.
    """
    found = select(LoginAttempts.subject).where(*_is_old(now)).limit(MAX_PER_TRANSACTION)
    return session.scalars(found).all()


def trim(session: Session, subjects: Sequence[str], *, now: int) -> int:
    """Deletes those of these counts that still do not matter; returns how many."""
    found = LoginAttempts.subject.in_(subjects)
    return rows_changed(session, delete(LoginAttempts).where(found, *_is_old(now)))


def _is_old(now: int) -> tuple[ColumnElement[bool], ...]:
    attempts = LoginAttempts
    unknown = or_(attempts.right_at.is_(None), attempts.right_at <= now - KNOWN_MS)
    return attempts.wrong_at <= now - FORGOTTEN_MS, unknown


def _count(session: Session, context: Context, name: str, network: str) -> list[Before]:
    """Counts a wrong password; returns each count as it was before. Raises TooMany."""
    now = context.now()
    here = _attempts(session, context, name, network)
    everywhere = _attempts(session, context, name, _EVERYWHERE)
    known = _is_known(here, now)
    if left := NETWORK.left_ms(here.until, now):
        raise _too_many("your network", left)
    if not known and (left := ACCOUNT.left_ms(everywhere.until, now)):
        raise _too_many("many networks", left, _OTHERWISE)
    counted = [_add(here, NETWORK, now)]
    if not known:
        counted.append(_add(everywhere, ACCOUNT, now))
    return counted


def _forgive(session: Session, context: Context, name: str, network: str) -> None:
    """Called after a right password: marks the network as known, and deletes its count of wrong
    ones."""
    here = _attempts(session, context, name, network)
    known = _is_known(here, context.now())
    here.wrong, here.until, here.right_at = 0, 0, context.now()
    if not known:
        everywhere = _attempts(session, context, name, _EVERYWHERE)
        everywhere.wrong = max(0, everywhere.wrong - 1)


def _take_back(session: Session, counted: Sequence[Before]) -> None:
    """Uncounts an attempt. If others were counted since, only their pauses stay."""
    for before in counted:
        attempts = session.get(LoginAttempts, before.subject)
        if attempts is None:
            continue
        attempts.wrong = max(0, attempts.wrong - 1)
        if attempts.wrong == before.wrong:
            attempts.wrong_at, attempts.until = before.wrong_at, before.until
        else:
            pause_ms = before.limit.pause_ms(attempts.wrong)
            attempts.until = min(attempts.until, attempts.wrong_at + pause_ms)


def _is_known(here: LoginAttempts, now: int) -> bool:
    """Whether somebody has lately logged in to the account from this network."""
    return here.right_at is not None and here.right_at > now - KNOWN_MS


def _add(attempts: LoginAttempts, limit: Limit, now: int) -> Before:
    """Adds a wrong password, with its pause; returns the count as it was before."""
    before = Before(attempts.subject, limit, attempts.wrong, attempts.wrong_at, attempts.until)
    attempts.wrong += 1
    attempts.wrong_at = now
    attempts.until = now + limit.pause_ms(attempts.wrong)
    return before


def _attempts(session: Session, context: Context, name: str, network: str) -> LoginAttempts:
    """The row for that name and network, created if it is missing. A count that is old is reset."""
    text = f"login:{name}\n{network}".encode("utf-8", "replace")
    subject = hmac.new(context.settings.secret_key.encode(), text, sha256).hexdigest()
    found = session.get(LoginAttempts, subject)
    if found is None:
        found = LoginAttempts(subject=subject, wrong=0, wrong_at=context.now(), until=0)
        session.add(found)
    elif found.wrong_at <= context.now() - FORGOTTEN_MS:
        found.wrong = 0
    return found


def _too_many(where: str, wait_ms: int, otherwise: str = "") -> TooMany:
    """The error for a caller who has to wait `wait_ms`; `otherwise` is another way to log in."""
    seconds = -(-wait_ms // 1000)
    wait = f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"
    wait = "1 second" if seconds == 1 else wait
    text = f"too many wrong passwords for this name from {where}; try again in {wait}{otherwise}"
    return TooMany(text, seconds)
