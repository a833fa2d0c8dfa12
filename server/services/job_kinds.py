"""The kinds of jobs, and the services that handle an arena's messages about them.

A new kind of job is added here; its `JobKind` is defined in the service that knows its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from sqlalchemy import select

from matchbox.errors import BadMessage, Conflict, Forbidden, NotFound
from matchbox.match import wire
from server.db.models import Draft, Lesson, Match, MatchVerification, Turn, Version
from server.db.session import count_rows
from server.services import (
    jobs,
    lessons,
    match_verifications,
    matches,
    stopped_arenas,
    table_turns,
    tryouts,
    turns,
    verdicts,
    walls,
)
from server.services.jobs import JobKind
from server.services.lessons import LESSON
from server.services.match_verifications import VERIFICATION
from server.services.matches import MATCH
from server.services.remote_names import of_key
from server.services.table_turns import TURN
from server.services.tryouts import TRY_DRAFT, TRY_OUT

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User

KINDS: Final[dict[wire.Kind, JobKind[Any]]] = {
    "match": MATCH,
    "version": TRY_OUT,
    "lesson": LESSON,
    "turn": TURN,
    "verification": VERIFICATION,
}
ALL: Final[tuple[JobKind[Any], ...]] = (*KINDS.values(), TRY_DRAFT)
"""Every kind of job, with the try-outs of drafts, which an arena treats as versions."""


def claim(session: Session, message: wire.Claim, *, settings: Settings, now: int) -> bool:
    """Renews the lease of a job that an arena is about to do, or is doing.

    Returns False if the arena is stopped. Then the job is given to another arena, if there is one.

    Raises Conflict if the arena must drop the job, such as one with a stranger's bot if it has no
    wall, or NotFound or Forbidden if we never sent that attempt.
    """
    kind, row = _find(session, message, settings)
    if not walls.is_walled(session, message.arena) and not all(o.trusted for o in _owners(row)):
        raise Conflict(f"{message.arena} has no wall around bots, so it gets no stranger's bot")
    if stopped_arenas.stop_of(session, message.arena):
        others = stopped_arenas.getting_jobs(session, now=now) - {message.arena}
        if others and row.attempt == message.attempt:
            jobs.expire(session, kind, row, message.arena)
        return False
    jobs.claim(session, kind, row, message.attempt, arena=message.arena, settings=settings, now=now)
    return True


def _owners(row: jobs.Job) -> list[User]:
    """The owners of the bots in this job."""
    match row:
        case Version() | Draft():
            return [row.owner]
        case Lesson():
            return [row.version.owner]
        case MatchVerification():
            return _owners(row.match)
        case Match():
            return [seat.version.owner for seat in row.seats]
        case Turn():
            return [seat.version.owner for seat in row.table.seats if seat.version]


def claim_unclaimed(session: Session, message: wire.Claim, *, settings: Settings, now: int) -> bool:
    """Claims a job for an arena, as `claim` does, but only if no arena has claimed it yet.

    The job counts as sent now, when its message is handed to the arena.
    """
    _, row = _find(session, message, settings)
    if row.arena is not None:
        raise Conflict(f"arena {row.arena} has claimed {message.kind} {row.id} already")
    claimed = claim(session, message, settings=settings, now=now)
    if claimed:
        row.sent_at = now
    return claimed


def take_from(session: Session, arena: str) -> None:
    """Takes the jobs that this arena holds from it; other arenas get them at the next ticks."""
    for kind in ALL:
        jobs.take(session, kind, kind.model.arena == arena)


def take_from_key(session: Session, key: str) -> None:
    """Takes their jobs from all arenas with this key; other arenas get them at the next ticks."""
    for kind in ALL:
        jobs.take(session, kind, of_key(kind.model.arena, key))


def held(session: Session, arena: str) -> list[jobs.Job]:
    """Returns the jobs that this arena holds."""
    return [
        row
        for kind in ALL
        for row in session.scalars(select(kind.model).where(kind.leased, kind.model.arena == arena))
    ]


def holds(session: Session, arena: str, token: str, *, settings: Settings) -> bool:
    """Whether this arena holds the job whose attempt has this token."""
    mine = held(session, arena)
    return any(jobs.is_token_of(settings, row, row.attempt, token) for row in mine)


def count_held(session: Session, key: str) -> int:
    """Returns how many jobs the arenas with this key hold."""
    return sum(
        count_rows(session, kind.model, kind.leased, of_key(kind.model.arena, key)) for kind in ALL
    )


def require_holder(
    session: Session, message: wire.Claim, arena: str, *, settings: Settings
) -> jobs.Job:
    """Returns the job that the message is about. Raises Conflict unless the arena holds it.

    A job that the arena has done counts as held. Raises NotFound or Forbidden if we never sent that
    attempt.
    """
    kind, row = _find(session, message, settings)
    if row.arena != arena or row.attempt != message.attempt:
        raise Conflict(f"{arena} does not hold attempt {message.attempt} at {kind.name} {row.id}")
    return row


def give_back(session: Session, message: wire.Lost, *, settings: Settings, now: int) -> None:
    """Takes a job from an arena that cannot do it, and queues it for another. Counts no fault.

    Raises NotFound or Forbidden if we never sent that attempt.
    """
    kind, row = _find(session, message, settings)
    jobs.give_back(session, kind, row, message.attempt, message.why, settings=settings, now=now)


def report(session: Session, report: Mapping[str, Any], *, settings: Settings, now: int) -> None:
    """Stores an arena's report, and renews the lease of its current job.

    After a time without any report, every arena gets the time to report before it loses its job.
    Raises BadMessage if the report is not valid.
    """
    if not walls.reporting(session, now=now):
        for kind in ALL:
            jobs.extend_leases(session, kind, now=now)
    read = walls.report_wall(session, report, now=now)
    if read.job is not None:
        with suppress(Conflict, Forbidden, NotFound):  # The arena learns of it by its next claim.
            claim(session, read.job, settings=settings, now=now)


def lose(session: Session, message: wire.Lost, *, settings: Settings, now: int) -> bool:
    """Counts a platform fault at a job. Returns False if that changed nothing.

    Raises NotFound or Forbidden if we never sent that attempt.
    """
    kind, row = _find(session, message, settings)
    return jobs.lose(session, kind, row, message.attempt, message.why, settings=settings, now=now)


def _find(
    session: Session, message: wire.Claim, settings: Settings
) -> tuple[JobKind[Any], jobs.Job]:
    """The job of this message and its kind. Raises NotFound or Forbidden."""
    kind, attempt = KINDS[message.kind], message.attempt
    row = jobs.find(session, kind, message.subject, attempt, message.token, settings=settings)
    return tryouts.kind_of(row) if kind is TRY_OUT else kind, row


def sweep(session: Session, *, settings: Settings, now: int) -> int:
    """Puts jobs that are late back into the queue; counts no fault for that.

    It takes at most `jobs.MAX_SWEPT` of each kind. Try-outs wait for their turns instead: sends
    those whose turn it is, among them those that were never sent. Returns the number of jobs that
    were taken or due.
    """
    swept = [kind for kind in ALL if kind not in (TRY_OUT, TRY_DRAFT)]
    late = sum(jobs.sweep(session, kind, settings=settings, now=now) for kind in swept)
    return late + turns.advance(session, settings=settings, now=now)


class Result(NamedTuple):
    """The result of a job as a task: its message, and the service that handles it in the ledger."""

    message: type[Any]
    """The class of its message."""
    book: Callable[..., bool]
    """The service that records the result; that of a match is called by `booking.book_matches`."""
    kind: wire.Kind | None = None
    """The kind of job that it is the result of; None if the message names it."""


RESULTS: Final[dict[str, Result]] = {
    wire.RECORD: Result(wire.MatchPlayed, matches.record, "match"),
    wire.SETTLE: Result(wire.TriedOut, verdicts.settle, "version"),
    wire.REMEMBER: Result(wire.Learned, lessons.remember, "lesson"),
    wire.BOOK_TURN: Result(wire.TurnTaken, table_turns.book, "turn"),
    wire.BOOK_VERIFICATION: Result(wire.Verified, match_verifications.book, "verification"),
    wire.LOST: Result(wire.Lost, lose),
}
"""The tasks with results, by name."""


_SHORT: Final = 4 << 20
"""The most bytes of a result in parts that is not that of a match. A turn may hold any lists."""


class _Result(msgspec.Struct, frozen=True):
    task: str
    message: msgspec.Raw


def decode(text: bytes) -> tuple[str, Any]:
    """Reads a result {"task", "message"} in JSON as the message of its task. Raises BadMessage.

    It builds nothing that the message cannot hold: JSON may take thirty times its length in memory.
    """
    try:
        found = msgspec.json.decode(text, type=_Result)
        if found.task != wire.RECORD and len(text) > _SHORT:
            raise BadMessage(f"only the result of a match may have more than {_SHORT} bytes")
        return found.task, msgspec.json.decode(found.message, type=RESULTS[found.task].message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError) as error:
        raise BadMessage(f"this is no result in JSON: {error}") from error


def claim_of(task: str, data: object) -> wire.Claim:
    """Returns the attempt that a result is about, as a claim. Raises BadMessage."""
    result, message = _parsed(task, data)
    kind = result.kind or message.kind
    subject = message.subject if result.kind is None else getattr(message, kind)
    return wire.Claim(kind=kind, subject=subject, attempt=message.attempt, token=message.token)


def book(session: Session, task: str, data: object, *, settings: Settings, now: int) -> bool:
    """Records the result of a job, or that a job is lost. Returns False if that changed nothing.

    Raises BadMessage if the task or its message is not valid, and the errors of the task's service.
    """
    result, message = _parsed(task, data)
    return result.book(session, message, settings=settings, now=now)


def _parsed(task: str, data: object) -> tuple[Result, Any]:
    """The entry of the task in RESULTS, and its message. Raises BadMessage."""
    if task not in RESULTS:
        raise BadMessage(f"{task!r} is not a task for results")
    result = RESULTS[task]
    return result, wire.from_plain(result.message, data)
