"""The beat: `celery -A worker.ledger.beat beat` sends the ledger's tick, and keeps no file.

Knows the broker and the interval of the tick. It opens no database, and starts quickly
because it imports nothing of the server.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from celery import signals
from celery.schedules import schedule

from matchbox.match import wire
from worker import logs, start
from worker.app import make_celery, on
from worker.health import show_life

settings = start.settings_here()
app = make_celery(settings, "ledger")
BEGUN: Final = datetime.now(UTC) - timedelta(seconds=time.monotonic())


def steady_now() -> datetime:
    """The time by a clock that nobody sets: else no tick would come while it is put back."""
    return BEGUN + timedelta(seconds=time.monotonic())


@on(signals.setup_logging)
def _log(**_: Any) -> None:
    """Replaces Celery's own log."""
    logs.configure(settings)


@on(signals.beat_init)
def _ready(**_: Any) -> None:
    """Switches the garbage collector on: nothing more is loaded."""
    show_life()
    start.ready()


app.conf.beat_scheduler = "celery.beat:Scheduler"
app.conf.beat_max_loop_interval = settings.tick_seconds
app.conf.beat_schedule = {
    "tick": {
        "task": wire.TICK,
        "schedule": schedule(settings.tick_seconds, nowfun=steady_now),
        "options": {"expires": max(10, 2 * settings.tick_seconds)},
    }
}
