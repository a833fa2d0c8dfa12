"""The life cycle of a job, the same for every kind that is in job_kinds.py. Does no job.

A job is a row; a message to an arena is only a nudge. Each event is a compare-and-set on the row,
so a message that is delivered twice, late or never does no harm.

| event       | before                    | after                                  |
| ----------- | ------------------------- | -------------------------------------- |
| `lease`     | queued                    | leased; parked if sent too often       |
| `claim`     | leased                    | leased, and held by that arena         |
| `take`      | leased, held by an arena  | leased, past the deadline              |
| `expire`    | leased                    | leased, past the deadline              |
| `keep`      | leased, held by no arena  | leased                                 |
| `lose`      | leased                    | queued; parked after too many faults   |
| `sweep`     | leased, past the deadline | queued                                 |
| `requeue`   | parked                    | queued, with no faults                 |
| `give_back` | leased                    | queued                                 |
| `park`      | leased                    | parked                                 |
| its result  | any of these              | done, by the kind's own service        |

A message that no arena has taken may wait for long, so its lease is long, and lost_messages.py
renews it while the broker has the message. A job that an arena holds has a short lease, which the
arena's reports renew. So an arena that is silent loses its job, but not an arena with slow bots.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import structlog
from sqlalchemy import BigInteger, ColumnElement, and_, case, literal, or_, select, update
from sqlalchemy.orm import Session

from matchbox.errors import Conflict, Forbidden, NotFound
from matchbox.match.wire import Kind
from matchbox.settings import Settings
from matchbox.whole_numbers import whole_number
from server.db.models import Draft, Lesson, Match, MatchVerification, Turn, Version
from server.db.session import compare_and_set, rows_changed
from server.services import stopped_arenas, walls
from server.services.events import publish, storable
from server.services.remote_names import MARK
from server.times import CLOCKS_MS, MINUTE_MS

MAX_ATTEMPTS: Final = 20
"""A job is parked after every 20 attempts without a result, since it may be what kills the arenas.
Nothing is parked while no arena gets such jobs, since then none may have seen it."""
MAX_SWEPT: Final = 200  # in one turn, since a long one keeps all other writers waiting
DUE: Final = 0
"""A deadline that has passed at any time."""
HELD_MS: Final = 45_000
"""How long, in ms, an arena keeps a job after each of its reports, which come every 15 s."""
_MIN_ATTEMPTS: Final = 10
"""A job that an operator sends again, or that begins anew, is not parked before this many."""
_SHORT_LEASES: Final = 3
"""Attempt n at a job has a lease of n - 3 usual lengths, but of at least one."""

Job: TypeAlias = Match | Version | Draft | Lesson | Turn | MatchVerification
"""A row with the columns of `JobColumns`."""
Row = TypeVar("Row", bound=Job)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True, eq=False)
class JobKind(Generic[Row]):
    """Describes a kind of job to the functions of this module.

    `queued`, `leased` and `parked` are conditions that select the rows in that state. `to_queued`,
    `to_leased` and `to_parked` are the other column values of a row that comes into that state.
    """

    name: Kind | Literal["draft"]
    model: type[Row]
    rows: Callable[[Session, str], Sequence[Row]]
    """Returns the rows that a message with this subject may be about."""
    queued: ColumnElement[bool]
    leased: ColumnElement[bool]
    parked: ColumnElement[bool]
    to_queued: Mapping[str, Any] = field(default_factory=lambda: {"deadline": DUE})
    to_leased: Mapping[str, Any] = field(default_factory=dict)
    to_parked: Mapping[str, Any] = field(default_factory=lambda: {"deadline": None})
    resume: Callable[..., object] = lambda *_, **__: None
    """Called with session, row, settings and now after a row was queued again."""
    claimed: Callable[[Session, Row, Settings, int], Mapping[str, Any]] = lambda *_: {}
    """Returns further column values that a claim sets. Raises Conflict if the arena must drop the
    job."""
    failed: Callable[[Session, Row, int], None] = lambda *_: None
    """Called for each platform fault that counts."""
    lease_ms: int | None = None
    """The length of a message's lease, if it is shorter than the settings'."""
    express: bool = False
    """Whether express arenas do such jobs too."""


def subject_of(kind: Kind | Literal["draft"], row: Job) -> str:
    """Returns a message's subject for a row that is known by its number: <kind>:<number>."""
    return f"{kind}:{row.id}"


def numbered(kind: Kind, model: type[Row]) -> Callable[[Session, str], Sequence[Row]]:
    """Returns the function `JobKind.rows` of a kind whose subjects `subject_of` makes."""

    def rows(session: Session, subject: str) -> Sequence[Row]:
        name, _, number = subject.partition(":")
        known = whole_number(number) if name == kind else None
        row = None if known is None else session.get(model, known)
        return [] if row is None else [row]

    return rows


def token_of(settings: Settings, row: Job, attempt: int) -> str:
    """Returns the secret of an attempt, 64 hex digits. It is derived, and never stored.

    It depends on the row rather than on the message's subject, because two bots may share a bundle:
    then the messages about their try-outs have the same subject, the bundle's digest.
    """
    name = row.id if isinstance(row, Match) else f"{row.__tablename__}:{row.id}"
    return hmac.new(settings.secret_key.encode(), f"{name}:{attempt}".encode(), sha256).hexdigest()


def is_token_of(settings: Settings, row: Job, attempt: int, token: str) -> bool:
    """Whether this is the token of that attempt at the job."""
    right = token_of(settings, row, attempt).encode()
    return hmac.compare_digest(right, token.encode("utf-8", "replace"))


def find(
    session: Session,
    kind: JobKind[Row],
    subject: str,
    attempt: int,
    token: str,
    *,
    settings: Settings,
) -> Row:
    """Returns the job for which this token was made.

    Raises NotFound if no job has that subject, or Forbidden for a wrong token.
    """
    rows = kind.rows(session, subject)
    for row in rows:
        if 1 <= attempt <= row.attempt and is_token_of(settings, row, attempt, token):
            return row
    if not rows:
        raise NotFound(f"there is no {kind.name} {subject}")
    raise Forbidden(f"this is not the token of attempt {attempt} at {kind.name} {subject}")


def next_deadline(kind: JobKind[Any], settings: Settings, now: int, attempt: int = 1) -> int:
    """Returns the deadline, in ms, of an attempt that is sent now."""
    return now + lease_ms(kind, settings, attempt)


def lease_ms(kind: JobKind[Any], settings: Settings, attempt: int) -> int:
    """Returns the length of the lease of an attempt, in ms.

    Each attempt after the fourth has a longer lease. Behind slow bots a message may wait for longer
    than any fixed lease while the broker cannot be asked, and that alone must not park a job.
    """
    usual = kind.lease_ms or settings.lease_minutes * MINUTE_MS
    return usual * max(1, attempt - _SHORT_LEASES)


def lease(
    session: Session, kind: JobKind[Row], row: Row, *, settings: Settings, now: int, **values: Any
) -> bool:
    """Begins the next attempt at a queued job. The caller posts its message.

    Returns False if somebody else has just done so, or if the job was sent too often and is now
    parked. `values` are further columns to set.
    """
    attempt = row.attempt + 1
    if row.attempt and row.attempt % MAX_ATTEMPTS == 0 and _has_arena(session, kind, now):
        trouble = f"sent {row.attempt} times, and it never came back"
        parked = {**kind.to_parked, "trouble": trouble}
        if compare_and_set(session, row, parked, kind.queued, attempt=row.attempt):
            _alarm(session, kind, row, trouble, now)
        return False
    deadline = next_deadline(kind, settings, now, attempt)
    sent = {"attempt": attempt, "deadline": deadline, "sent_at": now, "arena": None}
    leased = {**kind.to_leased, **values, **sent}
    return compare_and_set(session, row, leased, kind.queued, attempt=row.attempt)


def _has_arena(session: Session, kind: JobKind[Any], now: int) -> bool:
    """Whether an arena that reports gets such jobs."""
    return bool(stopped_arenas.getting_jobs(session, express=kind.express, now=now))


def with_room(attempt: int) -> int:
    """Returns the number of the attempt with which a job begins anew: this one, or a later one if
    the job would be parked as lost before it had `_MIN_ATTEMPTS` attempts."""
    left = -attempt % MAX_ATTEMPTS
    return attempt if left >= _MIN_ATTEMPTS else attempt + left + 1


def waits_for_wall(
    session: Session,
    kind: JobKind[Row],
    row: Row,
    versions: Iterable[Version],
    *,
    settings: Settings,
    now: int,
) -> bool:
    """Whether a queued job has to wait, because these versions are in it and an arena has no wall.

    Versions of trusted owners need no wall. If the job waits, puts it off by the length of a lease.
    """
    if all(one.owner.trusted for one in versions) or walls.wall(session).walled:
        return False
    deadline = next_deadline(kind, settings, now)
    # Without the time of an earlier message, nobody looks for that message.
    later = {"deadline": deadline, "sent_at": None}
    compare_and_set(session, row, later, kind.queued, attempt=row.attempt)
    return True


def claim(
    session: Session,
    kind: JobKind[Row],
    row: Row,
    attempt: int,
    *,
    arena: str = "",
    settings: Settings,
    now: int,
) -> None:
    """Renews the lease of a job that this arena is about to do, or is doing.

    An arena without a name is of an older release: its reports renew nothing, so its lease is long.
    Raises Conflict if the job is not leased any more, if a later attempt has begun, or if an arena
    with a key holds it.
    """
    long, arena = next_deadline(kind, settings, now), storable(arena, 200)
    held = {"deadline": now + HELD_MS if arena else long, "arena": arena}
    values = {**kind.claimed(session, row, settings, now), **held}
    held_by = kind.model.arena
    free = or_(held_by.is_(None), held_by == arena, held_by.not_like(f"%{MARK}%"))
    if not compare_and_set(session, row, values, and_(kind.leased, free), attempt=attempt):
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
    """Counts a platform fault, at most once for each attempt.

    Queues the job again, or parks it after too many faults. Returns False if the fault was counted
    before, or if a later attempt has begun.
    """
    faults = row.platform_faults + 1
    parked = faults >= settings.attempts
    counted = {"platform_faults": faults, "trouble": storable(why, 500)}
    values = {**(kind.to_parked if parked else kind.to_queued), **counted, "arena": None}
    sent = and_(kind.leased, kind.model.sent_at.is_not(None))  # Not one that waits for a wall.
    if not compare_and_set(session, row, values, sent, attempt=attempt):
        return False
    kind.failed(session, row, now)
    if parked:
        _alarm(session, kind, row, why, now)
    else:
        kind.resume(session, row, settings=settings, now=now)
    return True


def in_time(kind: JobKind[Any], now: int, settings: Settings) -> ColumnElement[bool]:
    """Returns the condition that a row's deadline is still to come.

    One that is later than any lease from now on counts as passed: the clock was ahead when the job
    was sent.
    """
    model = kind.model
    leases = case((model.attempt > _SHORT_LEASES, model.attempt - _SHORT_LEASES), else_=1)
    longest = literal(settings.lease_minutes * MINUTE_MS, BigInteger) * leases
    return and_(model.deadline > now, model.deadline - longest <= now + CLOCKS_MS)


def overdue(
    session: Session, kind: JobKind[Any], now: int, *, settings: Settings
) -> ColumnElement[bool]:
    """Returns the condition that a row's deadline has passed.

    A job that an arena holds is never overdue while no arena reports: then the server was away, or
    the whole machine, and nobody else could do the job.
    """
    model = kind.model
    late = and_(model.deadline.is_not(None), ~in_time(kind, now, settings))
    free = or_(model.arena.is_(None), model.arena == "")
    return late if walls.reporting(session, now=now) else and_(late, free)


def extend_leases(session: Session, kind: JobKind[Any], *, now: int) -> None:
    """Gives every arena that holds such a job time for its next report."""
    held = (kind.leased, kind.model.arena != "", kind.model.deadline < now + HELD_MS)
    late = update(kind.model).where(*held)
    session.execute(late.values(deadline=now + HELD_MS))


def take(session: Session, kind: JobKind[Any], held: ColumnElement[bool]) -> None:
    """Ends the leases of the jobs that fit and that an arena holds, so that others get them."""
    taken = update(kind.model).where(kind.leased, held)
    session.execute(taken.values(deadline=DUE, arena=None))


def unclaimed(session: Session, kind: JobKind[Row], *, before: int, now: int) -> Sequence[Row]:
    """Returns the jobs that were sent before that time and that no arena has claimed."""
    model = kind.model
    sent = (kind.leased, model.deadline > now, model.sent_at < before, model.arena.is_(None))
    return session.scalars(select(model).where(*sent).order_by(model.id)).all()


def expire(session: Session, kind: JobKind[Row], row: Row, arena: str | None = None) -> bool:
    """Ends the lease of a job that no arena, or only this one, has claimed.

    So it is sent again at one of the next ticks. Returns False if another arena has claimed it,
    or if a later attempt has begun.
    """
    free = and_(kind.leased, or_(kind.model.arena.is_(None), kind.model.arena == arena))
    return compare_and_set(session, row, {"deadline": DUE}, free, attempt=row.attempt)


def keep(session: Session, kind: JobKind[Any], ids: list[int], attempt: int, until: int) -> int:
    """Renews the leases of those of these jobs that no arena has claimed; returns their number."""
    model = kind.model
    free = (model.id.in_(ids), model.attempt == attempt, kind.leased, model.arena.is_(None))
    return rows_changed(session, update(model).where(*free).values(deadline=until))


def give_back(
    session: Session,
    kind: JobKind[Row],
    row: Row,
    attempt: int,
    why: str,
    *,
    settings: Settings,
    now: int,
) -> bool:
    """Takes the job from the arena that holds it, and queues it again. Counts no fault.

    Returns False if it is not leased any more, or if a later attempt has begun.
    """
    values = {**kind.to_queued, "arena": None, "trouble": storable(why, 500)}
    if not compare_and_set(session, row, values, kind.leased, attempt=attempt):
        return False
    kind.resume(session, row, settings=settings, now=now)
    return True


def park(
    session: Session, kind: JobKind[Row], row: Row, attempt: int, why: str, *, now: int
) -> bool:
    """Parks a job for the operators. Returns False if `give_back` would."""
    values = {**kind.to_parked, "arena": None, "trouble": storable(why, 500)}
    if not compare_and_set(session, row, values, kind.leased, attempt=attempt):
        return False
    _alarm(session, kind, row, why, now)
    return True


def sweep(session: Session, kind: JobKind[Row], *, settings: Settings, now: int) -> int:
    """Puts up to MAX_SWEPT late jobs back into the queue, and counts no fault; returns how many."""
    late = select(kind.model).where(kind.leased, overdue(session, kind, now, settings=settings))
    first = late.order_by(kind.model.deadline, kind.model.id)
    rows = session.scalars(first.limit(MAX_SWEPT)).all()
    for row in rows:
        values = {**kind.to_queued, "arena": None}
        if compare_and_set(session, row, values, kind.leased, attempt=row.attempt):
            kind.resume(session, row, settings=settings, now=now)
    return len(rows)


def requeue(
    session: Session, kind: JobKind[Row], row: Row, *, settings: Settings, now: int
) -> None:
    """Puts a parked job back into the queue. Raises Conflict if it is not parked."""
    attempt = with_room(row.attempt + 1)
    fresh = {**kind.to_queued, "platform_faults": 0, "attempt": attempt, "arena": None}
    if not compare_and_set(session, row, fresh, kind.parked):
        raise Conflict(f"{kind.name} {row.id} is not parked")
    kind.resume(session, row, settings=settings, now=now)


def _alarm(session: Session, kind: JobKind[Any], row: Job, why: str, now: int) -> None:
    """Logs and publishes that a job is parked."""
    log.error(f"{kind.name}.parked", id=row.id, why=why)
    publish(session, f"{kind.name}.parked", row.id, now=now)
