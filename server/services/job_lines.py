"""Counts the unfinished jobs of each kind. Changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, or_, select

from matchbox.answers.health import JobsLine
from matchbox.answers.queue import JobName
from server.db.models import Match, MatchState
from server.db.session import count_rows
from server.services import dispatch
from server.services.job_kinds import KINDS
from server.services.jobs import JobKind
from server.services.tryouts import TRY_DRAFT
from server.times import iso

if TYPE_CHECKING:
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
    unfinished = or_(kind.queued, kind.leased)
    running = and_(kind.leased, kind.model.deadline > now)
    oldest = session.scalar(select(func.min(kind.model.created_at)).where(unfinished))
    under_way = count_rows(session, kind.model, running)
    return JobsLine(
        kind=name,
        queued=count_rows(session, kind.model, unfinished) - under_way,
        running=under_way,
        parked=count_rows(session, kind.model, kind.parked),
        oldest_at=None if oldest is None else iso(oldest),
        playing=session.scalar(select(func.count(kind.model.arena.distinct())).where(running)) or 0,
    )


def stalled_ms(session: Session, now: int) -> int:
    """Returns the time in ms for which no match has ended although some could; 0 if none is to be
    played.

    Matches of a paused league or season are not to be played. After a pause, time counts from the
    first match that is sent.
    """
    running = Match.state == MatchState.RUNNING
    if not count_rows(session, Match, running) and not dispatch.any_ready(session):
        return 0
    ended = session.scalar(select(func.max(Match.finished_at))) or 0
    begun = session.scalar(select(func.max(Match.sent_at)).where(running, Match.attempt == 1)) or 0
    return now - max(ended, begun)
