"""Counts the unfinished jobs of each kind. Changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, case, func, or_, select

from matchbox.answers.health import JobsLine
from matchbox.answers.queue import JobName
from server.db.models import Match, MatchState, Version, VersionState
from server.db.session import count_rows
from server.services import dispatch
from server.services.job_kinds import KINDS
from server.services.jobs import DUE, JobKind
from server.services.tryouts import TRY_DRAFT
from server.times import CLOCKS_MS, iso

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


def job_lines(session: Session, now: int) -> list[JobsLine]:
    """Returns one line for each kind of job, with the numbers of its unfinished jobs."""
    lines = [
        job_line(session, "try-out" if name == "version" else name, kind, now)
        for name, kind in KINDS.items()
    ]
    return [*lines, job_line(session, "draft", TRY_DRAFT, now)]


def job_line(session: Session, name: JobName, kind: JobKind[Any], now: int) -> JobsLine:
    """Returns the line for one kind of job, with the numbers of its unfinished jobs."""
    model, unfinished = kind.model, or_(kind.queued, kind.leased)
    # A job that waits for a wall has a deadline, too; it was not sent.
    sent = or_(model.sent_at.is_not(None), model.arena.is_not(None))
    running = and_(kind.leased, model.deadline > now, sent)
    oldest = session.scalar(select(func.min(_waits_since(kind))).where(unfinished))
    under_way = count_rows(session, model, running)
    return JobsLine(
        kind=name,
        queued=count_rows(session, model, unfinished) - under_way,
        running=under_way,
        parked=count_rows(session, model, kind.parked),
        oldest_at=iso(oldest),
        playing=session.scalar(select(func.count(model.arena.distinct())).where(running)) or 0,
    )


def _waits_since(kind: JobKind[Any]) -> ColumnElement[int]:
    """Since when a job waits: since it was made, or for a version in quarantine, since it was sent,
    or is to be."""
    made: ColumnElement[int] = kind.model.created_at
    if kind.model is not Version:
        return made
    due = func.nullif(Version.deadline, DUE)
    in_quarantine = func.coalesce(Version.sent_at, due, Version.created_at)
    return case((Version.state == VersionState.QUARANTINED, in_quarantine), else_=made)


def stalled_ms(session: Session, now: int) -> int:
    """Returns the time in ms for which no match has ended although some could; 0 if none is to be
    played.

    Matches of a paused league or season are not to be played. After a pause, time counts from the
    first match that is sent.
    """
    running = Match.state == MatchState.RUNNING
    if not count_rows(session, Match, running) and not dispatch.any_ready(session):
        return 0
    first = (running, Match.attempt == 1, Match.sent_at <= now + CLOCKS_MS)
    begun = session.scalar(select(func.max(Match.sent_at)).where(*first)) or 0
    return now - max(last_ended(session, now), begun)


def last_ended(session: Session, now: int) -> int:
    """Returns when a match has ended last, UTC in ms; 0 if none has.

    Matches that ended while the clock was ahead do not count.
    """
    ended = select(func.max(Match.finished_at)).where(Match.finished_at <= now + CLOCKS_MS)
    return session.scalar(ended) or 0
