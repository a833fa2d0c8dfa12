"""The ledger's Celery worker: `celery -A worker.ledger.main worker -P solo -Q ledger`.

Wires settings, database and tasks together; the services do the tasks' work, and beat.py sends the
tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from celery import signals

from matchbox.errors import Unavailable
from matchbox.match import wire
from server.context import Context, database_url, make_context
from server.services import booking, signs, tick
from server.services.job_kinds import RESULTS
from worker import logs, start
from worker.app import at_start, make_celery, on
from worker.health import show_life
from worker.ledger.backups import Backups
from worker.ledger.batches import MAX_MESSAGES, batched
from worker.ledger.courier import Courier
from worker.ledger.refit_process import RefitProcess
from worker.ledger.refitter import Refitter
from worker.ledger.watch import Watch

settings = start.settings_here()
app = make_celery(settings, "ledger")
app.conf.worker_prefetch_multiplier = MAX_MESSAGES
AGAIN = {"autoretry_for": (Unavailable,), "default_retry_delay": 2, "max_retries": 60}
"""How a task is retried while the database cannot be written.

So a database may be away for two minutes: after the last retry the message is lost, and the sweeper
queues the job again.
"""


class _Running:
    """The objects that this process has opened. They are set once, when the worker starts."""

    context: Context
    courier: Courier
    refits: RefitProcess
    refitter: Refitter
    watch: Watch
    backups: Backups


@on(signals.setup_logging)
def _log(**_: Any) -> None:
    """Replaces Celery's own log."""
    logs.configure(settings)


@at_start
def _open(sender: str, **_: Any) -> None:
    _Running.context = make_context(settings)
    _Running.courier = Courier(_Running.context)
    _Running.refits = RefitProcess(settings, database_url(settings))
    _Running.refitter = Refitter(_Running.refits.refresh)
    _Running.refitter.start()
    _Running.watch = Watch(_Running.context, _Running.courier, signs.of_ledger(sender))
    _Running.watch.start()
    _Running.backups = Backups(_Running.context)
    _Running.backups.start()
    show_life()
    start.ready()


@on(signals.worker_shutdown)
def _close(**_: Any) -> None:
    _Running.backups.close()
    _Running.watch.close()
    _Running.refitter.close()
    _Running.refits.close()
    _Running.courier.close()
    _Running.context.close()


def _book(self: Any, message: dict[str, Any]) -> None:
    """Records a result from an arena."""
    with logs.job_fields(message):
        booking.book_message(_Running.context, self.name, message)


def _book_matches(messages: Sequence[object]) -> None:
    """Records the results of matches from arenas, all or none."""
    booking.book_matches(_Running.context, messages)


for _task in RESULTS:
    base = {"base": batched(_book_matches)} if _task == wire.RECORD else {}
    app.task(_book, name=_task, bind=True, **base, **AGAIN)


def _tick() -> None:
    """Does everything that is due, and wakes the refitter and the courier."""
    tick.tick(_Running.context, with_standings=False)
    _Running.refitter.wake()
    _Running.courier.wake()


app.task(_tick, name=wire.TICK)
