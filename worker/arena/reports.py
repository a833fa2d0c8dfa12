"""An arena's reports: its box and what the self-test found, its host, its current job."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import structlog

from matchbox.errors import MatchboxError
from matchbox.match import wire
from sandbox.selftest import AGAIN_S
from worker.arena import cpu_affinity
from worker.arena.boxes import examine
from worker.arena.client import ServerClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.settings import Settings
    from worker.arena.tasks import Arena

log = structlog.get_logger(__name__)

EVERY_S: Final = 15.0
_MAX_PAUSE_S: Final = 3600.0
"""Seconds between two reports; an arena that has missed three counts as silent."""


def wall_report(arena: str, kind: str, settings: Settings) -> dict[str, Any]:
    """The self-test's result for this kind of box, in the form that the server takes."""
    found = examine(kind, settings)
    return report(arena, kind, walled=found.walled, why="; ".join(found.missing))


def report(arena: str, kind: str, *, walled: bool, why: str) -> dict[str, Any]:
    """An arena's report on its box, with its host and release."""
    own = {"host": socket.gethostname(), "release": version("matchbox")}
    return {"arena": arena, "box": kind, "walled": walled, "why": why, **own}


def keep_reporting(
    client: ServerClient, arena: Arena, wall: dict[str, Any], doing: Callable[[], str]
) -> None:
    """Sends a report every EVERY_S seconds. A silent arena counts as gone, and loses its job."""
    while True:
        report_now(client, arena, {**wall, **_load(), "doing": doing()})
        time.sleep(EVERY_S)


def keep_testing(wall: dict[str, Any], settings: Settings) -> None:
    """Repeats the self-test of a report without a wall until it passes; the report then says so.

    The pauses double up to an hour: the test takes a core, and on some machines no wall can stand.
    """
    pause_s = AGAIN_S
    while not wall["walled"]:
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _MAX_PAUSE_S)
        try:
            wall.update(wall_report(wall["arena"], wall["box"], settings))
        except Exception:  # It must not end: the arena would stay without a wall.
            log.exception("wall.not_tested")
    log.info("wall.stands", box=wall["box"])


def report_now(client: ServerClient, arena: Arena, report: dict[str, Any]) -> None:
    """Sends this report, with the arena's job and its faults so far."""
    claim, faults = arena.claim(), arena.faults
    job = None if claim is None else wire.to_plain(claim)
    failed = {"run": faults.run, "faults": faults.count, "fault": faults.last}
    try:
        client.report_wall({**report, **failed, "job": job})
    except MatchboxError as error:
        log.warning("wall.not_reported", why=str(error))
    except Exception:  # Without these reports the arena would lose every job.
        log.exception("wall.not_reported")


def report_leaving(wall: dict[str, Any], url: str, secret: str, *, number: int = 0) -> None:
    """Tells the server that this arena is gone. Without that, the server would find out later.

    `number` is as for ServerClient. The report is sent once only: nobody waits for it.
    """
    client = ServerClient(url, secret, number=number, pauses_s=())
    with suppress(MatchboxError):
        client.report_wall({**wall, "leaving": True})
    client.close()


def _load() -> dict[str, Any]:
    """The cores that this arena may use, and the load of its host for each core."""
    cores = len(cpu_affinity.usable_cores())
    return {"cores": cores, "load": round(os.getloadavg()[0] / (os.cpu_count() or 1), 2)}
