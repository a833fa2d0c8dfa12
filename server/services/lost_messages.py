"""Finds the jobs whose messages are gone, and queues them again. Others keep their leases.

A broker that was emptied, or an arena that was frozen while it took a message, leaves a job that no
arena can do. The message is only a nudge, so sending it again does no harm. But a message that
still waits would lose its place in the queue: so its job's lease does not end.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import structlog

from server.db.models import Draft, Match, Version
from server.db.session import in_parts
from server.services import broker, jobs
from server.services.job_kinds import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy.orm import Session

    from server.context import Context
    from server.services.jobs import JobKind

SENT_MS: Final = 5_000
"""A message that was sent this many ms ago has reached the broker."""
TAKEN_S: Final = 60.0
"""An arena that has taken a message claims its job within this many seconds, or is dead."""
_PART: Final = 500
"""The number of leases that are renewed in one writer's turn."""

log = structlog.get_logger(__name__)


def expire_lost(context: Context) -> int:
    """Expires the jobs that were sent but that neither an arena nor the broker has.

    Renews the leases that will soon end of those that the broker has. Returns how many were lost.
    Raises BrokerUnavailable. Call it when no message waits to be sent.
    """
    if not context.settings.broker_url:
        return 0
    now, settings = context.now(), context.settings
    with context.read() as session:
        free = [
            (kind, row)
            for kind in ALL
            for row in jobs.unclaimed(session, kind, before=now - SENT_MS, now=now)
        ]
    if not free:
        return 0
    known = broker.jobs(settings.broker_url, taken_s=TAKEN_S)
    gone, ending = [], defaultdict[tuple["JobKind[Any]", int], list[int]](list)
    for kind, row in free:
        if (subject_of(kind, row), row.attempt) not in known:
            gone.append((kind, row))
        elif row.deadline < now + jobs.lease_ms(kind, settings, row.attempt) // 2:
            ending[kind, row.attempt].append(row.id)
    for (kind, attempt), ids in ending.items():
        deadline = jobs.next_deadline(kind, settings, now, attempt)
        for part in in_parts(ids, _PART):
            with context.write() as session:
                jobs.keep(session, kind, part, attempt, deadline)
    if not gone:
        return 0
    with context.write() as session:
        count = sum(jobs.expire(session, *one) for one in _unchanged(session, gone))
    log.warning("messages.gone", count=count)
    return count


def _unchanged(
    session: Session, found: Iterable[tuple[JobKind[Any], jobs.Job]]
) -> Iterator[tuple[JobKind[Any], jobs.Job]]:
    """The jobs in this session, but for those with a later attempt than was read."""
    for kind, row in found:
        present = session.get(kind.model, row.id)
        if present is not None and present.attempt == row.attempt:
            yield kind, present


def subject_of(kind: JobKind[Any], row: jobs.Job) -> str:
    """Returns the subject of the job's messages: see wire.Claim."""
    if isinstance(row, Match):
        return row.id
    if isinstance(row, Version | Draft):
        return row.digest
    return jobs.subject_of(kind.name, row)
