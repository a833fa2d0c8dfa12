"""The kinds of jobs, and what an arena's message about a job does.

A new kind of job is added here. Its `JobKind` stands beside the service that knows its rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from matchbox.errors import BadMessage
from matchbox.match import wire
from server.services import jobs, lessons, matches, turns, verdicts
from server.services.jobs import JobKind
from server.services.lessons import LESSON
from server.services.matches import MATCH
from server.services.tryouts import TRY_OUT

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

KINDS: Final[dict[wire.Kind, JobKind[Any]]] = {one.name: one for one in (MATCH, TRY_OUT, LESSON)}


def claim(session: Session, message: wire.Claim, *, settings: Settings, now: int) -> None:
    """Renews the lease of the job that an arena is about to do, or does.

    Raises Conflict if the arena has to drop it, NotFound or Forbidden if the claim is not of
    an attempt of ours.
    """
    kind = KINDS[message.kind]
    row = jobs.find(
        session, kind, message.subject, message.attempt, message.token, settings=settings
    )
    jobs.claim(session, kind, row, message.attempt, settings=settings, now=now)


def lose(session: Session, message: wire.Lost, *, settings: Settings, now: int) -> bool:
    """Counts a platform fault of a job; False if it was counted before.

    Raises NotFound or Forbidden if the message is not about an attempt of ours.
    """
    kind, attempt = KINDS[message.kind], message.attempt
    row = jobs.find(session, kind, message.subject, attempt, message.token, settings=settings)
    return jobs.lose(session, kind, row, attempt, message.why, settings=settings, now=now)


def sweep(session: Session, *, settings: Settings, now: int) -> int:
    """Puts to work again what did not come back in time, and counts no fault for it; how many.

    A try-out waits for its author's turn, also for being sent the first time.
    """
    late = jobs.sweep(session, MATCH, settings=settings, now=now)
    late += jobs.sweep(session, LESSON, settings=settings, now=now)
    return late + turns.advance(session, settings=settings, now=now)


class Result(NamedTuple):
    """The message with the result of a job."""

    message: type[Any]
    book: Callable[..., bool]
    """The service that books the result."""
    kind: wire.Kind | None = None
    """Whose result it is; None for one of any kind."""


RESULTS: Final[dict[str, Result]] = {
    wire.RECORD: Result(wire.MatchPlayed, matches.record, "match"),
    wire.SETTLE: Result(wire.TriedOut, verdicts.settle, "version"),
    wire.REMEMBER: Result(wire.Learned, lessons.remember, "lesson"),
    wire.LOST: Result(wire.Lost, lose),
}
"""The message of each task that brings something back, and the service that books it."""


def book(session: Session, task: str, data: object, *, settings: Settings, now: int) -> bool:
    """Books a result, or a job as lost; False if that changed nothing.

    Raises BadMessage, and what the service of the task raises.
    """
    if task not in RESULTS:
        raise BadMessage(f"{task!r} is no task that takes results")
    result = RESULTS[task]
    message = wire.from_plain(result.message, data)
    return result.book(session, message, settings=settings, now=now)
