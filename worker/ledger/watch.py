"""Looks at the platform's health again and again, and has the operators told.

It has a thread of its own, because the ticks stop when the broker is away. Judges nothing itself.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from matchbox.errors import MatchboxError
from server.services import alarms, health

if TYPE_CHECKING:
    from server.context import Context
    from worker.ledger.courier import Courier

log = structlog.get_logger(__name__)

EVERY_S: Final = 15.0


def look(context: Context) -> int:
    """Judges the platform, and tells the operators what has begun or is over.

    Returns how many findings it told of. A failure is logged: the next look makes up for it.
    """
    try:
        with context.read() as session:
            judged = health.judge(session, context.settings, now=context.now())
            known = alarms.alarms(session)
        if not judged.findings and not known:
            return 0
        with context.write() as session:
            return alarms.note(session, judged.findings, now=context.now())
    except (MatchboxError, SQLAlchemyError) as error:
        log.warning("watch.failed", why=f"{type(error).__name__}: {error}")
        return 0


class Watch:
    """A thread that looks, and wakes the courier when there is something to deliver."""

    def __init__(self, context: Context, courier: Courier) -> None:
        self._context, self._courier = context, courier
        self._over = Event()
        self._thread = Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Starts to look."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread after the look that is under way."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(EVERY_S):
            if look(self._context):
                self._courier.wake()
