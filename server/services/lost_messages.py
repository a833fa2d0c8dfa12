"""Finds the jobs whose messages are gone, and queues them again.

A broker that was emptied, or an arena that was frozen while it took a message, leaves a job that no
arena can do. The message is only a nudge, so sending it again does no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import structlog

from server.db.models import Draft, Match, Version
from server.services import broker, jobs
from server.services.job_kinds import ALL

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.context import Context
    from server.services.jobs import JobKind

SENT_MS: Final = 5_000
"""A message that was sent this many ms ago has reached the broker."""
TAKEN_S: Final = 60.0
"""An arena that has taken a message claims its job within this many seconds, or is dead."""

log = structlog.get_logger(__name__)


def expire_lost(context: Context) -> int:
    """Expires the jobs that were sent but that neither an arena nor the broker has.

    Returns how many. Raises BrokerUnavailable. Call it when no message waits to be sent.
    """
    if not context.settings.broker_url:
        return 0
    now = context.now()
    with context.read() as session:
        free = [
            (kind, row)
            for kind in ALL
            for row in jobs.unclaimed(session, kind, before=now - SENT_MS, now=now)
        ]
    if not free:
        return 0
    known = broker.jobs(context.settings.broker_url, taken_s=TAKEN_S)
    gone = [(kind, row) for kind, row in free if (subject_of(kind, row), row.attempt) not in known]
    if not gone:
        return 0
    with context.write() as session:
        count = sum(_expire(session, kind, row) for kind, row in gone)
    log.warning("messages.gone", count=count)
    return count


def _expire(session: Session, kind: JobKind[Any], row: jobs.Job) -> bool:
    """Ends the lease of this attempt, unless the job has changed since it was read."""
    present = session.get(kind.model, row.id)
    same = present is not None and present.attempt == row.attempt
    return same and jobs.expire(session, kind, present)


def subject_of(kind: JobKind[Any], row: jobs.Job) -> str:
    """Returns the subject of the job's messages: see wire.Claim."""
    if isinstance(row, Match):
        return row.id
    if isinstance(row, Version | Draft):
        return row.digest
    return jobs.subject_of(kind.name, row)
