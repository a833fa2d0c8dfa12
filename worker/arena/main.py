"""The arena's Celery worker: `celery -A worker.arena.main worker -P solo`.

Wires settings, server, box and tasks together. Before the first job, the box is tested from
inside, and the result is reported to the server.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog
from celery import signals
from celery.exceptions import Reject
from celery.worker import state
from kombu.exceptions import OperationalError

from matchbox.errors import BadMessage, MatchboxError, Unavailable
from matchbox.match import wire
from worker import logs, start
from worker.app import ARENA_QUEUES, EXPRESS_QUEUES, at_start, make_celery, on, send_result
from worker.arena import cpu_affinity, reports
from worker.arena.boxes import open_named
from worker.arena.client import ServerClient
from worker.arena.journal import MAX_ATTEMPTS, Journal
from worker.arena.tasks import Arena, Requeue
from worker.health import show_life

log = structlog.get_logger(__name__)
logging.getLogger("httpx").setLevel(logging.WARNING)
logging.getLogger("celery.app.trace").setLevel(logging.ERROR)  # A job.requeued line says enough.

settings = start.settings_here()
server_url = settings.internal_url or settings.server_url
app = make_celery(settings, "arena")

_REQUEUE_DELAY_S: Final = 1.0
"""Seconds before a job goes back to its queue. Without them, an arena would ask an absent server in
a loop."""
_STOPPED_S: Final = 5.0
"""Seconds after which a stopped arena asks again whether it may continue."""


class _Running:
    """The things that this process has opened; filled once, when the worker starts."""

    arena: Arena
    journal: Journal
    report: dict[str, Any] | None = None
    reporting = threading.Lock()
    """Held while a report is sent."""
    express: bool = False
    """Whether `-Q` makes it an express arena."""


def send(task: str, message: dict[str, Any]) -> None:
    """Sends a result to the ledger's queue. Raises Unavailable."""
    try:
        send_result(app, task, message)
    except (OperationalError, OSError) as error:
        raise Unavailable(f"the broker cannot be reached: {error}") from error


def stopping() -> bool:
    """True once the worker has been told to stop."""
    flags = (state.should_stop, state.should_terminate)
    return any(flag is not None and flag is not False for flag in flags)


def _run_task(self: Any, message: dict[str, Any]) -> None:
    """Does the job of a message. An invalid message is dropped; the server queues its job again."""
    task: str = self.name
    _Running.journal.begin(task, message)
    try:
        with logs.job_fields(message):
            _Running.arena.run(task, message)
    except BadMessage as error:
        log.error("message.dropped", task=task, why=str(error))
    except Requeue as error:
        log.warning("job.requeued", task=task, why=str(error))
        if not stopping():
            time.sleep(_STOPPED_S if error.stopped else _REQUEUE_DELAY_S)
        raise Reject(str(error), requeue=True) from error
    finally:
        if not isinstance(sys.exception(), KeyboardInterrupt | SystemExit):  # It is being killed.
            _Running.journal.end()


for _task in wire.JOBS:
    app.task(_run_task, name=_task, bind=True)


@on(signals.setup_logging)
def _log(**_: Any) -> None:
    """Replaces Celery's own log: `_open` has set up another one."""


@on(signals.celeryd_after_setup)
def _choose_queues(instance: Any, **_: Any) -> None:
    """Lets an arena take jobs of every kind, unless it is an express arena."""
    if not _Running.express:
        instance.app.amqp.queues.select(ARENA_QUEUES)


@at_start
def _open(sender: str, options: dict[str, Any], **_: Any) -> None:
    """Opens the box, reports its wall to the server, and takes up an unfinished job."""
    _Running.express = set(options.get("queues") or ()) == set(EXPRESS_QUEUES)
    logs.configure(settings, arena=sender.partition("@")[0])
    show_life()
    client = ServerClient(server_url, settings.arena_token, arena=sender)
    try:
        if settings.pin:
            cpu_affinity.claim(Path(settings.sockets or settings.data) / cpu_affinity.FOLDER)
        box = open_named(settings.box, settings, tested=True)
    except (MatchboxError, OSError) as error:
        with suppress(MatchboxError):
            client.report_wall(reports.report(sender, settings.box, walled=False, why=str(error)))
        sys.exit(f"this arena cannot play: {error}")
    assert box is not None, "no setting names `none`"
    wall = reports.wall_report(sender, box.kind, settings)
    _Running.report = {**wall, "express": _Running.express}
    patience_s = 60.0 * settings.lease_minutes
    _Running.arena = Arena(client, box, send, stopping, name=sender, patience_s=patience_s)
    # The server must know of a missing wall before the first job.
    reports.report_now(client, _Running.arena, _Running.report)
    told = (client, _Running.arena, _Running.report, _Running.reporting)
    threading.Thread(target=reports.keep_reporting, args=told, daemon=True).start()
    again = (_Running.report, settings, _Running.arena.change_box)
    threading.Thread(target=reports.keep_testing, args=again, daemon=True).start()
    _Running.journal = Journal(Path(settings.data) / f"{sender}.job")
    _Running.journal.delete_old()
    start.ready()
    _resume_job()


@on(signals.worker_shutdown)
def _leave(**_: Any) -> None:
    """Tells the server that this arena is gone."""
    if _Running.report is not None:
        reports.report_leaving(
            _Running.report, server_url, settings.arena_token, _Running.reporting
        )


def _resume_job() -> None:
    """Queues again a job that was under way when this arena was killed, or reports it as lost."""
    job = _Running.journal.unfinished()
    if job is None or job.task not in wire.JOBS:  # Another release may have written it.
        return
    try:
        if job.attempts >= MAX_ATTEMPTS:
            _Running.arena.lose(job.task, job.message, "the arena died whenever it played this")
            _Running.journal.end()
        else:
            _Running.arena.faults.note("it died in the middle of a job")
            send(job.task, job.message)
    except (MatchboxError, Requeue) as error:
        log.warning("journal.waits", why=str(error))
