"""Makes the backups on the schedule, in a thread beside the ledger's work.

`server.services.backup_schedule` decides when one is due, and `server.backup` makes it.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from matchbox.errors import MatchboxError, Unavailable
from server.backup import folder
from server.services import backup_schedule
from server.times import has_passed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from server.context import Context

log = structlog.get_logger(__name__)

EVERY_S: Final = 10.0


class _Stopped(Exception):
    """The ledger stops, and gives up the backup that it is making."""


def back_up(context: Context, is_over: Callable[[], bool] = lambda: False) -> Path | None:
    """Makes a backup if one is due, and returns its path; None if none is due, or it failed.

    A failure is logged and noted for the operators. Stops soon after `is_over` returns True.
    """
    try:
        with context.read() as session:
            if not backup_schedule.is_due(session, context.settings, now=context.now()):
                return None
        with context.write() as session:
            before = backup_schedule.begin(session, context.settings, now=context.now())
        if before is None:
            return None
        return _make(context, before.size or context.database.size(), is_over)
    except (MatchboxError, SQLAlchemyError) as error:
        log.warning("backup.waits", why=f"{type(error).__name__}: {error}")
        return None


def _make(context: Context, expected: int, is_over: Callable[[], bool]) -> Path | None:
    begun_at = noted_at = context.now()

    def watch(done: int, total: int) -> None:
        nonlocal noted_at
        if is_over():
            raise _Stopped(f"the ledger was stopped after {done:,} of {total:,} rows")
        if has_passed(backup_schedule.GOES_ON_MS, noted_at, context.now()):
            noted_at = context.now()
            with suppress(Unavailable), context.write() as session:  # The next note may do.
                backup_schedule.go_on(session, now=noted_at)

    try:
        path = folder.take_scheduled(context.settings, now=begun_at, expected=expected, watch=watch)
        size = path.stat().st_size
    except _Stopped as stopped:
        log.info("backup.stopped", why=str(stopped))
        with context.write() as session:
            backup_schedule.stopped(session, now=context.now())
        return None
    except (MatchboxError, SQLAlchemyError, OSError) as error:
        log.error("backup.failed", why=f"{type(error).__name__}: {error}")
        with context.write() as session:
            backup_schedule.failed(session, str(error), now=context.now())
        return None
    with context.write() as session:
        backup_schedule.succeeded(session, size, begun_at=begun_at, now=context.now())
    log.info("backup.made", file=str(path), size=size)
    return path


class Backups:
    """A thread that makes backups when they are due. `close` ends it, even during a backup."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._over = Event()
        self._thread = Thread(target=self._run, name="backups", daemon=True)

    def start(self) -> None:
        """Starts to look for backups that are due, if the settings ask for any."""
        if self._context.settings.backup_every_hours:
            self._thread.start()

    def close(self) -> None:
        """Ends the thread, and abandons a backup that is under way."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(EVERY_S):
            try:
                back_up(self._context, self._over.is_set)
            except Exception:  # Without the thread there would be no more backups.
                log.exception("backup.failed")
