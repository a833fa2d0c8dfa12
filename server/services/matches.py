"""The life of a match once it is scheduled: claimed, recorded or lost. Rates nothing itself.

The row is the truth and a message only a nudge: every step is a compare-and-set on the row, so
that a message delivered twice, late or never changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from matchbox.errors import BadMessage, BadRecord, Conflict, Forbidden, NotFound
from matchbox.match import record as records
from server.db.models import UNFINISHED, Match, MatchState
from server.services import (
    attempts,
    audit,
    faults,
    lessons,
    quarantine,
    ratings,
    results,
    samples,
    tryouts,
)
from server.services.accounts import require_operator
from server.services.attempts import change
from server.services.dispatch import dispatch, job_of
from server.services.events import publish, storable
from server.services.fixtures import Fixture, match_id, schedule

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.wire import Lost, MatchPlayed
    from matchbox.settings import Settings
    from server.db.models import User

__all__ = [
    "UNFINISHED",
    "Fixture",
    "claim",
    "dispatch",
    "fault",
    "find",
    "job_of",
    "lost",
    "match_id",
    "record",
    "requeue",
    "schedule",
]

log = structlog.get_logger(__name__)


def claim(
    session: Session, subject: str, attempt: int, token: str, *, settings: Settings, now: int
) -> None:
    """Renews the lease of the match, try-out (by digest) or lesson that an arena is about to do.

    Raises Conflict where the row is final or another attempt has taken over: drop the job.
    Raises NotFound or Forbidden where the claim is not of an attempt of ours.
    """
    if len(subject) == 64:
        version = tryouts.find(session, subject, attempt, token, settings=settings)
        tryouts.claim(session, version, attempt, settings=settings, now=now)
        return
    if subject.startswith(lessons.SUBJECT):
        lesson = lessons.find(session, subject, attempt, token, settings=settings)
        lessons.claim(session, lesson, attempt, settings=settings, now=now)
        return
    match = find(session, subject, attempt, token, settings=settings)
    values = {"deadline": attempts.next_deadline(settings, now)}
    if not change(session, match, (MatchState.RUNNING,), values, Match.attempt == attempt):
        raise Conflict(f"attempt {attempt} at match {subject} is not wanted any more")


def record(session: Session, message: MatchPlayed, *, settings: Settings, now: int) -> bool:
    """The match is finished, with its result; False where it was final, or this is not its result,
    which the platform has lost then.

    The result of an older attempt is as good as that of the present one. Raises NotFound or
    Forbidden where the message is not the result of an attempt of ours.
    """
    match = find(session, message.match, message.attempt, message.token, settings=settings)
    try:
        played = records.unpack(message.record)
        results.check(match, played)
        results.check_beside(match, played, message)
    except (BadMessage, BadRecord) as error:
        log.warning("result.refused", match=match.id, attempt=message.attempt, why=str(error))
        fault(session, match, message.attempt, str(error), settings=settings, now=now)
        return False
    values = {"state": MatchState.FINISHED, "deadline": None, "trouble": "", "finished_at": now}
    if not change(session, match, UNFINISHED, values):
        return False
    session.add(results.result_of(message, played, settings, now))
    session.flush()
    session.refresh(match, ["result"])
    ratings.update_live(session, match)
    faults.count(session, match, played, settings=settings, now=now)
    samples.book(session, match, message, now=now)
    publish(session, "match.finished", match.id, now=now)
    return True


def lost(session: Session, message: Lost, *, settings: Settings, now: int) -> bool:
    """Counts a platform fault of a match, try-out or lesson; False where it was counted before.

    Raises NotFound or Forbidden where the message is not about an attempt of ours.
    """
    subject, attempt, why = message.subject, message.attempt, message.why
    if len(subject) == 64:
        version = tryouts.find(session, subject, attempt, message.token, settings=settings)
        return tryouts.lost(session, version, attempt, why, settings=settings, now=now)
    if subject.startswith(lessons.SUBJECT):
        lesson = lessons.find(session, subject, attempt, message.token, settings=settings)
        return lessons.lost(session, lesson, attempt, why, settings=settings, now=now)
    match = find(session, subject, attempt, message.token, settings=settings)
    return fault(session, match, attempt, why, settings=settings, now=now)


def find(session: Session, subject: str, attempt: int, token: str, *, settings: Settings) -> Match:
    """The match of this id, if the token is its own. Raises NotFound or Forbidden."""
    match = session.get(Match, subject)
    if match is None:
        raise NotFound(f"there is no match {subject}")
    if not attempts.is_of(settings, match, attempt, token):
        raise Forbidden(f"this is not the token of attempt {attempt} at match {subject}")
    return match


def fault(
    session: Session, match: Match, attempt: int, why: str, *, settings: Settings, now: int
) -> bool:
    """Counts a platform fault once per attempt: queued again, or parked after too many."""
    faults = match.platform_faults + 1
    if faults >= settings.attempts:
        state = MatchState.PARKED
    else:
        state = MatchState.QUEUED
    values = {
        "state": state,
        "platform_faults": faults,
        "trouble": storable(why, 500),
        "deadline": None,
    }
    present = Match.attempt == attempt
    if not change(session, match, (MatchState.RUNNING,), values, present):
        return False
    quarantine.note(session, match, now=now)
    if state == MatchState.PARKED:
        log.error("match.parked", match=match.id, why=why)
    publish(session, f"match.{state}", match.id, now=now)
    return True


def requeue(session: Session, actor: User, match: Match, *, now: int) -> None:
    """Gives a parked match another chance. Raises Forbidden or Conflict."""
    require_operator(actor)
    values = {"state": MatchState.QUEUED, "platform_faults": 0, "attempt": match.attempt + 1}
    if not change(session, match, (MatchState.PARKED,), values):
        raise Conflict(f"match {match.id} is {match.state}, not parked")
    audit.note(session, actor, "match.requeue", f"match:{match.id}", now=now)
    publish(session, "match.queued", match.id, now=now)
