"""An arena on another host: `python -m worker.arena.remote NUMBER`, started by `matchbox arena`.

It asks the server for a job, plays it, hands the result in, and asks again. It has a key, and
neither broker nor arena token.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import structlog

from matchbox.errors import (
    ArenaOutdated,
    ArenaStopped,
    BadMessage,
    Forbidden,
    KeyRefused,
    MatchboxError,
    Unavailable,
)
from matchbox.match.host_versions import own_versions
from matchbox.settings import libraries_of, read_settings
from worker import logs
from worker.arena import cpu_affinity, reports
from worker.arena.boxes import open_named
from worker.arena.client import ServerClient
from worker.arena.tasks import Arena, Requeue

if TYPE_CHECKING:
    from matchbox.settings import Settings
    from sandbox.box import Box

KEY: Final = "MATCHBOX_ARENA_KEY"
"""The variable that holds the key."""
_IDLE_S: Final = 1.0
"""Seconds between two questions for a job while there is none."""
_AWAY_S: Final = 2.0
"""Seconds before a server that cannot be reached is asked again."""
_WAITS_S: Final = 10.0
"""Seconds before an arena that gets no jobs asks again."""
_LONGEST_S: Final = 120.0
"""The longest pause, in seconds, of an arena that fails at one job after the other."""

log = structlog.get_logger(__name__)


class RemoteArena:
    """Takes jobs from a server on another host until it is asked to stop."""

    def __init__(self, settings: Settings, key: str, number: int) -> None:
        self._settings = settings
        self._key = key
        self._number = number
        self._client = ServerClient(settings.server_url, key, number=number)
        self._versions = own_versions(libraries_of(settings))
        self._stop = threading.Event()
        self._turn = threading.Lock()
        """Held while a report is sent."""
        self._pause_s = 0.0
        """The last pause after a job at which it failed; 0 after any other job."""

    def stop(self, *_: object) -> None:
        """Asks it to stop: it gives its job back."""
        self._stop.set()

    def run(self) -> None:
        """Plays until it is asked to stop. Raises KeyRefused, and BoxUnavailable without a wall."""
        name = self._join()
        if name is None:
            return
        logs.configure(self._settings, arena=name.partition("@")[0])
        box = open_named(self._settings.box, self._settings, tested=True)
        assert box is not None, "no setting names `none`"
        report = reports.wall_report(name, box.kind, self._settings)
        reports.require_wall(report)
        try:
            self._play(name, box, report)
        finally:
            url, turn = self._settings.server_url, self._turn
            reports.report_leaving(report, url, self._key, turn, number=self._number)

    def _join(self) -> str | None:
        """Introduces the arena to the server until the server accepts it; returns the arena's name.
        None if the arena is to stop."""
        while not self._stop.is_set():
            try:
                return self._client.join(self._versions)
            except Unavailable as error:
                log.warning("arena.waits", why=str(error))
                self._stop.wait(_WAITS_S if isinstance(error, ArenaOutdated) else _AWAY_S)
        return None

    def _play(self, name: str, box: Box, report: dict[str, Any]) -> None:
        patience_s = 60.0 * self._settings.lease_minutes
        arena = Arena(self._client, box, None, self._stop.is_set, name=name, patience_s=patience_s)
        # Before it asks for a job: so the server sees that the last run died in one, if it did.
        reports.report_now(self._client, arena, report)
        reporting = (self._client, arena, report, self._turn)
        threading.Thread(target=reports.keep_reporting, args=reporting, daemon=True).start()
        again = (report, self._settings, arena.change_box)
        threading.Thread(target=reports.keep_testing, args=again, daemon=True).start()
        while not self._stop.is_set():
            found = self._next()
            if found is not None:
                self._do(arena, *found)

    def _next(self) -> tuple[str, dict[str, Any]] | None:
        """The next job; None after a pause if there is none. Raises KeyRefused."""
        pause_s = _IDLE_S
        try:
            if found := self._client.take(self._versions):
                return found
        except KeyRefused:
            raise
        except MatchboxError as error:
            log.warning("arena.waits", why=str(error))
            waits = isinstance(error, ArenaStopped | ArenaOutdated | Forbidden | BadMessage)
            pause_s = _WAITS_S if waits else _AWAY_S
        self._stop.wait(pause_s)
        return None

    def _do(self, arena: Arena, task: str, message: dict[str, Any]) -> None:
        before = _in_vain(arena)
        try:
            with logs.job_fields(message):
                arena.run(task, message)
        except BadMessage as error:
            log.error("message.dropped", task=task, why=str(error))
        except Requeue as error:  # The server sends it again once it misses this arena's reports.
            log.warning("job.requeued", task=task, why=str(error))
        self._pause_s = self._next_pause_s() if _in_vain(arena) > before else 0.0
        self._stop.wait(self._pause_s)

    def _next_pause_s(self) -> float:
        """A longer pause than the last one: each job that it takes in vain is nearer to being
        parked."""
        return min(_LONGEST_S, 2 * self._pause_s or _IDLE_S)


def _in_vain(arena: Arena) -> int:
    """The number of jobs that the arena has taken and not done."""
    return arena.faults.count + arena.faults.refused


def main() -> None:
    """Plays until SIGTERM or SIGINT, or until the key does not work any more."""
    logging.getLogger("httpx").setLevel(logging.WARNING)
    settings = read_settings(os.environ)
    logs.configure(settings, arena=f"arena-{sys.argv[1]}")
    if settings.pin:
        cpu_affinity.claim(Path(settings.sockets or settings.data) / cpu_affinity.FOLDER)
    arena = RemoteArena(settings, os.environ[KEY], int(sys.argv[1]))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, arena.stop)
    try:
        arena.run()
    except MatchboxError as error:
        sys.exit(f"this arena cannot play: {error}")


if __name__ == "__main__":
    main()
