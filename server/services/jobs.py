"""The life of a job, written once for every kind: a match, a try-out, a lesson. Plays none.

A job is a row, and a message to an arena is only a nudge. Each event is a compare-and-set on the
row, so a message that is delivered twice, late or never changes nothing.

| event       | before                    | after                                  |
| ----------- | ------------------------- | -------------------------------------- |
| `lease`     | queued                    | leased; parked if sent too often       |
| `claim`     | leased                    | leased for longer                      |
| `lose`      | leased                    | queued; parked after too many faults   |
| `sweep`     | leased, past the deadline | queued                                 |
| `requeue`   | parked                    | queued, its faults forgotten           |
| its result  | any of these              | done: each kind has its own service    |
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import structlog
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from matchbox.errors import Conflict, Forbidden, NotFound
from matchbox.match.wire import Kind
from matchbox.settings import Settings
from server.db.models import Lesson, Match, Version
from server.db.session import compare_and_set
from server.services.events import publish, storable

if TYPE_CHECKING:
    pass

MOST_ATTEMPTS: Final = 20
"""A job is parked after each 20 attempts without a result: it may be what kills the arenas."""
AT_ONCE: Final = 0
"""The deadline of a try-out or lesson that is to be sent now."""
_SHORT_LEASES: Final = 3
"""How many of a job's first attempts have a lease of the usual length."""

Job: TypeAlias = Match | Version | Lesson
"""A row with an attempt, a deadline, platform faults and the last trouble."""
Row = TypeVar("Row", bound=Job)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True, eq=False)
class JobKind(Generic[Row]):
    """A kind of job, as the life of a job needs it.

    `queued`, `leased` and `parked` are true of the rows at that stage; `to_queued`, `to_leased`
    and `to_parked` are the values that bring a row there.
    """

    name: Kind
    model: type[Row]
    rows: Callable[[Session, str], Sequence[Row]]
    """The rows that a message may mean by its subject."""
    queued: ColumnElement[bool]
    leased: ColumnElement[bool]
    parked: ColumnElement[bool]
    to_queued: Mapping[str, Any]
    to_leased: Mapping[str, Any]
    to_parked: Mapping[str, Any]
    resume: Callable[..., object] = lambda *_, **__: None
    """Called with session, row, settings and now once a row is back in the queue."""
    claimed: Callable[[Session, Row, int], Mapping[str, Any]] = lambda *_: {}
    """More values that a claim sets. Raises Conflict if the arena has to drop the job."""
    failed: Callable[[Session, Row, int], None] = lambda *_: None
    """Called for each platform fault that counts."""


def token_of(settings: Settings, row: Job, attempt: int) -> str:
    """The attempt's secret, 64 hex digits: derived, never stored.

    It names the row and not the subject: two bots may share a bundle, and with it the digest that
    the messages of their try-outs name.
    """
    name = row.id if isinstance(row, Match) else f"{row.__tablename__}:{row.id}"
    return hmac.new(settings.secret_key.encode(), f"{name}:{attempt}".encode(), sha256).hexdigest()


def find(
    session: Session,
    kind: JobKind[Row],
    subject: str,
    attempt: int,
    token: str,
    *,
    settings: Settings,
) -> Row:
    """The job that this token was made for. Raises NotFound, or Forbidden for a wrong token."""
    rows = kind.rows(session, subject)
    for row in rows:
        right = token_of(settings, row, attempt).encode()
        made = 1 <= attempt <= row.attempt
        if made and hmac.compare_digest(right, token.encode("utf-8", "replace")):
            return row
    if not rows:
        raise NotFound(f"there is no {kind.name} {subject}")
    raise Forbidden(f"this is not the token of attempt {attempt} at {kind.name} {subject}")


def next_deadline(settings: Settings, now: int, attempt: int = 1) -> int:
    """The time in ms by which an attempt that begins or is claimed now has to be back.

    Each attempt after the third has a longer lease: behind slow bots a message may wait in its
    queue for longer than any fixed lease, and that must not park a job.
    """
    leases = max(1, attempt - _SHORT_LEASES)
    return now + settings.lease_minutes * 60_000 * leases


def lease(
    session: Session, kind: JobKind[Row], row: Row, *, settings: Settings, now: int, **values: Any
) -> bool:
    """Begins the next attempt at a queued job; the caller posts its message.

    False if somebody else just did, or where the job was sent too often and is parked now.
    """
    attempt = row.attempt + 1
    if row.attempt and row.attempt % MOST_ATTEMPTS == 0:
        trouble = f"sent {row.attempt} times, and it never came back"
        if _change(session, row, {**kind.to_parked, "trouble": trouble}, kind.queued, row.attempt):
            _alarm(session, kind, row, trouble, now)
        return False
    deadline = next_deadline(settings, now, attempt)
    leased = {**kind.to_leased, **values, "attempt": attempt, "deadline": deadline}
    return _change(session, row, leased, kind.queued, row.attempt)


def claim(
    session: Session, kind: JobKind[Row], row: Row, attempt: int, *, settings: Settings, now: int
) -> None:
    """Renews the lease of a job that an arena is about to do, or does.

    Raises Conflict if the job is done or parked, or another attempt has taken over.
    """
    values = {**kind.claimed(session, row, now), "deadline": next_deadline(settings, now)}
    if not _change(session, row, values, kind.leased, attempt):
        raise Conflict(f"attempt {attempt} at {kind.name} {row.id} is not wanted any more")


def lose(
    session: Session,
    kind: JobKind[Row],
    row: Row,
    attempt: int,
    why: str,
    *,
    settings: Settings,
    now: int,
) -> bool:
    """Counts a platform fault, once for each attempt: queued again, or parked after too many.

    False if it was counted before, or the attempt is not the present one.
    """
    faults = row.platform_faults + 1
    parked = faults >= settings.attempts
    told = {"platform_faults": faults, "trouble": storable(why, 500)}
    values = {**(kind.to_parked if parked else kind.to_queued), **told}
    if not _change(session, row, values, kind.leased, attempt):
        return False
    kind.failed(session, row, now)
    if parked:
        _alarm(session, kind, row, why, now)
    else:
        kind.resume(session, row, settings=settings, now=now)
    return True


def sweep(session: Session, kind: JobKind[Row], *, settings: Settings, now: int) -> int:
    """Queues again the jobs that are past their deadline; returns how many. Counts no fault."""
    late = select(kind.model).where(kind.leased, kind.model.deadline < now)
    rows = session.scalars(late.order_by(kind.model.id)).all()
    for row in rows:
        if _change(session, row, kind.to_queued, kind.leased, row.attempt):
            kind.resume(session, row, settings=settings, now=now)
    return len(rows)


def requeue(
    session: Session, kind: JobKind[Row], row: Row, *, settings: Settings, now: int
) -> None:
    """Puts a parked job back into the queue. Raises Conflict."""
    fresh = {**kind.to_queued, "platform_faults": 0, "attempt": row.attempt + 1}
    if not compare_and_set(session, row, fresh, kind.parked):
        raise Conflict(f"{kind.name} {row.id} is not parked")
    kind.resume(session, row, settings=settings, now=now)


def _change(
    session: Session,
    row: Job,
    values: Mapping[str, Any],
    before: ColumnElement[bool],
    attempt: int,
) -> bool:
    """Compare and set on a job at this stage and attempt; False if it has changed."""
    return compare_and_set(session, row, values, before, type(row).attempt == attempt)


def _alarm(session: Session, kind: JobKind[Any], row: Job, why: str, now: int) -> None:
    """Logs and publishes that a job is parked."""
    log.error(f"{kind.name}.parked", id=row.id, why=why)
    publish(session, f"{kind.name}.parked", row.id, now=now)
