"""What the ledger does with a message: reads it, and lets a service book it.

Knows messages and services; knows no Celery. A message that is none, or that is not of an attempt
of ours, is refused by name and logged: the row brings the job back. A result of ours that cannot be
read is lost by the platform, and counted so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog

from matchbox.errors import BadMessage, CallerFault
from matchbox.match import wire
from server.services import kinds
from server.services import tick as ticking

if TYPE_CHECKING:
    from server.context import Context

log = structlog.get_logger(__name__)


def book(context: Context, task: str, data: object) -> bool:
    """Books what came back of a job, and after a match sends more where few are under way.

    False where that changed nothing. Raises Unavailable.
    """
    try:
        with context.write() as session:
            changed = kinds.book(session, task, data, settings=context.settings, now=context.now())
    except CallerFault as error:
        log.warning("message.refused", task=task, why=f"{type(error).__name__}: {error}")
        kind = kinds.RESULTS[task].kind
        if isinstance(error, BadMessage) and kind is not None and isinstance(data, dict):
            _lose(context, kind, data, str(error))
        return False
    if not changed:
        log.info("message.changed_nothing", task=task)
    elif task == wire.RECORD:
        ticking.refill(context)
    return changed


def tick(context: Context) -> None:
    """Does what is due."""
    ticking.tick(context)


def _lose(context: Context, kind: wire.Kind, data: dict[str, Any], why: str) -> None:
    """Books the job of a result that cannot be read as lost: the next may be no better."""
    told = {"kind": kind, "subject": data.get(kind), "why": why}
    try:
        message = {**told, "attempt": data.get("attempt"), "token": data.get("token")}
        missed = wire.from_plain(wire.Lost, message)
    except BadMessage:
        return
    book(context, wire.LOST, wire.to_plain(missed))
