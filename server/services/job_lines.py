"""Counts the jobs that are not done, by kind. Changes nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, func, or_, select

from matchbox.answers.health import JobsLine
from matchbox.answers.queue import JobName
from server.queries.pagination import iso
from server.services.job_kinds import KINDS
from server.services.jobs import JobKind

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def job_lines(session: Session, now: int) -> list[JobsLine]:
    """Returns the numbers of the jobs that are not done, by kind."""
    return [
        job_line(session, "try-out" if name == "version" else name, kind, now)
        for name, kind in KINDS.items()
    ]


def job_line(session: Session, name: JobName, kind: JobKind[Any], now: int) -> JobsLine:
    """Returns the numbers of the jobs of one kind that are not done."""
    unfinished = or_(kind.queued, kind.leased)
    running = and_(kind.leased, kind.model.deadline > now)
    count = partial(_count, session, kind)
    oldest = session.scalar(select(func.min(kind.model.created_at)).where(unfinished))
    under_way = count(running)
    return JobsLine(
        kind=name,
        queued=count(unfinished) - under_way,
        running=under_way,
        parked=count(kind.parked),
        oldest_at=None if oldest is None else iso(oldest),
    )


def _count(session: Session, kind: JobKind[Any], which: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).select_from(kind.model).where(which)) or 0
