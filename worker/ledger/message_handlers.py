"""Handles the ledger's messages: reads each one, and has a service record it.

Knows messages and services, but not Celery. A message that is invalid, or that names an unknown
attempt, is refused and logged; the sweeper queues its job again later. If a result of one of our
attempts cannot be read, the job counts as lost by the platform.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog

from matchbox.errors import BadMessage, CallerFault
from matchbox.match import wire
from server.services import booking, job_kinds
from server.services import tick as ticking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.context import Context

log = structlog.get_logger(__name__)


def book(context: Context, task: str, data: object) -> bool:
    """Records the result of a job. After a match, sends more matches if few are under way.

    Returns False if the result changed nothing. Raises Unavailable.
    """
    try:
        changed = booking.book(context, task, data)
    except CallerFault as error:
        log.warning("message.refused", task=task, why=f"{type(error).__name__}: {error}")
        kind = job_kinds.RESULTS[task].kind
        if isinstance(error, BadMessage) and kind is not None and isinstance(data, dict):
            _lose(context, kind, data, str(error))
        return False
    if not changed:
        log.info("message.changed_nothing", task=task)
    elif task == wire.RECORD:
        ticking.refill(context)
    return changed


def book_matches(context: Context, data: Sequence[object]) -> None:
    """Records the results of matches together. Then sends more matches if few are under way.

    If one raises an error, none is recorded: then call `book` for each.
    """
    changed = booking.book_matches(context, data)
    for one in changed:
        if not one:
            log.info("message.changed_nothing", task=wire.RECORD)
    if any(changed):
        ticking.refill(context)


def tick(context: Context) -> None:
    """Does everything that is due, except the standings: see refitter.py."""
    ticking.tick(context, with_standings=False)


def _lose(context: Context, kind: wire.Kind, data: dict[str, Any], why: str) -> None:
    """Counts the job of an unreadable result as lost. If that happens repeatedly, the job is
    parked."""
    fields = {"kind": kind, "subject": data.get(kind), "why": why}
    try:
        message = {**fields, "attempt": data.get("attempt"), "token": data.get("token")}
        missed = wire.from_plain(wire.Lost, message)
    except BadMessage:
        return
    book(context, wire.LOST, wire.to_plain(missed))
