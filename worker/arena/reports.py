"""An arena's reports: its box and what the self-test found, its host, its current job."""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import structlog

from matchbox.errors import BoxUnavailable, MatchboxError
from matchbox.match import wire
from sandbox.box import KINDS
from sandbox.selftest import AGAIN_S
from worker.arena import cpu_affinity
from worker.arena.boxes import choose, examine, open_named
from worker.arena.client import ServerClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.settings import Settings
    from sandbox.box import Box
    from worker.arena.tasks import Arena

log = structlog.get_logger(__name__)

EVERY_S: Final = 15.0
"""Seconds between two reports; an arena that has missed three counts as silent."""
_MAX_PAUSE_S: Final = 3600.0
_UNDER_WAY_S: Final = 3.0
"""Seconds for which an arena that leaves waits for the end of a report that is under way."""


def wall_report(arena: str, kind: str, settings: Settings) -> dict[str, Any]:
    """The self-test's result for this kind of box, in the form that the server takes.

    Where the setting `auto` has found no wall, it says why for every kind.
    """
    found = examine(kind, settings)
    why = "; ".join(found.missing)
    if not found.walled and settings.box == "auto":
        why = "; ".join(filter(None, (_why_not_better(settings), f"{kind}: {why}")))
    return report(arena, kind, walled=found.walled, why=why)


def require_wall(wall: dict[str, Any]) -> None:
    """Raises BoxUnavailable with the reasons if this report tells of no wall."""
    if not wall["walled"]:
        raise BoxUnavailable(f"the box {wall['box']} has no wall around bots: {wall['why']}")


def report(arena: str, kind: str, *, walled: bool, why: str) -> dict[str, Any]:
    """An arena's report on its box, with its host and release."""
    own = {"host": socket.gethostname(), "release": version("matchbox")}
    return {"arena": arena, "box": kind, "walled": walled, "why": why, **own}


def keep_reporting(
    client: ServerClient, arena: Arena, wall: dict[str, Any], turn: threading.Lock
) -> None:
    """Sends a report every EVERY_S seconds. A silent arena counts as gone, and loses its job.

    `turn` is held while a report is sent.
    """
    while True:
        with turn:
            report_now(client, arena, wall)
        time.sleep(EVERY_S)


def keep_testing(
    wall: dict[str, Any], settings: Settings, change_box: Callable[[Box], None]
) -> None:
    """Repeats the self-test of an arena without a wall until it passes, and says so in the report.

    An arena that fell back to the last kind of box, with the setting `auto`, also tries the better
    kinds: what they need may have been late. `change_box` is given the better box, or one of the
    same kind as before, which may have lacked a layer. The pauses double up to an hour: the test
    takes a core, and some machines never pass it.
    """
    if _is_settled(wall, settings):
        return
    if settings.box == "auto":
        log.warning("box.fell_back", box=wall["box"], why=_why_not_better(settings))
    pause_s = AGAIN_S
    while not _is_settled(wall, settings):
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _MAX_PAUSE_S)
        try:
            kind = choose(settings.box, settings)
            found = wall_report(wall["arena"], kind, settings)
            if kind != wall["box"] or found["walled"] > wall["walled"]:
                box = open_named(kind, settings, tested=True)
                assert box is not None, "no setting names `none`"
                change_box(box)
            wall.update(found)
        except Exception:  # It must not end: the arena would keep its box, or stay without a wall.
            log.exception("wall.not_tested")
    log.warning("wall.stands", box=wall["box"])


def _is_settled(wall: dict[str, Any], settings: Settings) -> bool:
    return bool(wall["walled"]) and not (settings.box == "auto" and wall["box"] == KINDS[-1])


def _why_not_better(settings: Settings) -> str:
    """Why each kind but the last is not used."""
    reasons = ((kind, "; ".join(examine(kind, settings).missing)) for kind in KINDS[:-1])
    return "; ".join(f"{kind}: {why}" for kind, why in reasons if why)


def report_now(client: ServerClient, arena: Arena, report: dict[str, Any]) -> None:
    """Sends this report with the load, what the arena does, its job, and its faults so far.

    Raises nothing.
    """
    claim, faults = arena.claim(), arena.faults
    job = None if claim is None else wire.to_plain(claim)
    failed = {"run": faults.run, "faults": faults.count, "fault": faults.last}
    try:
        client.report_wall({**report, **_load(), **failed, "doing": arena.doing, "job": job})
    except MatchboxError as error:
        log.warning("wall.not_reported", why=str(error))
    except Exception:  # Without these reports the arena would lose every job.
        log.exception("wall.not_reported")


def report_leaving(
    wall: dict[str, Any], url: str, secret: str, turn: threading.Lock, *, number: int = 0
) -> None:
    """Tells the server that this arena is gone. Without that, the server would find out later.

    `turn` is as for keep_reporting; it is kept, so that no other report follows. `number` is as for
    ServerClient. The report is sent once only: nobody waits for it.
    """
    turn.acquire(timeout=_UNDER_WAY_S)
    client = ServerClient(url, secret, number=number, pauses_s=())
    with suppress(MatchboxError):
        client.report_wall({**wall, "leaving": True})
    client.close()


def _load() -> dict[str, Any]:
    """The cores that this arena may use, and the load of its host for each core."""
    cores = len(cpu_affinity.usable_cores())
    return {"cores": cores, "load": round(os.getloadavg()[0] / (os.cpu_count() or 1), 2)}
