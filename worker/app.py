"""The Celery application of either half, with settings that were measured.

Knows the broker, and the settings that keep tasks safe on it; knows no task. The database is the
truth and messages are only hints, so nothing here waits for a result.
"""

from __future__ import annotations

import sys
import time
import traceback
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from celery import Celery, signals
from kombu import Exchange, Queue
from kombu.utils.scheduling import round_robin_cycle

from matchbox.errors import BadSetting, MatchboxError
from matchbox.match import wire
from matchbox.setting_values import celery_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.settings import Settings

Half = Literal["arena", "ledger"]
_Handler = TypeVar("_Handler", bound="Callable[..., None]")

ARENA_QUEUES: Final = (*wire.URGENT, "ranked", "comparison")
"""The queues where an arena looks for work."""
EXPRESS_QUEUES: Final = ("turn", "tryout")
"""Those of the express arena. Their jobs are short; a version's first match may take long."""

_CONNECT_S: Final = 5
_LEDGER_S: Final = 20
"""Seconds after which a task of the ledger is delivered again. Each is done long before; a second
delivery changes nothing."""
_RESTORE_S: Final = 5


class UrgentFirst(round_robin_cycle):  # type: ignore[misc]  # kombu has no types
    """The order of the queues: one that was served goes behind the others, unless it is urgent.

    With a fixed order, the last queue's messages would stay unread until their matches are late.
    """

    def rotate(self, last_used: str) -> str:
        """Moves a queue back. Called with the queue that a message came from."""
        return last_used if last_used in wire.URGENT else super().rotate(last_used)


def on(signal: Any) -> Callable[[_Handler], _Handler]:
    """Decorates a function that is called at a signal of Celery, whose own decorator is untyped."""
    connect: Callable[[_Handler], _Handler] = signal.connect
    return connect


def at_start(handler: Callable[..., None]) -> Callable[..., None]:
    """Decorates the function that opens what a worker needs. If it fails, the worker ends.

    Celery would go on without these things, and lose every message that it takes.
    """

    @wraps(handler)
    def open_or_end(**named: Any) -> None:
        try:
            handler(**named)
        except MatchboxError as error:
            sys.exit(f"this worker cannot start: {error}")
        except Exception:  # noqa: BLE001 - Celery catches it otherwise.
            traceback.print_exc()
            sys.exit("this worker cannot start")

    return on(signals.celeryd_init)(open_or_end)


def make_celery(settings: Settings, half: Half) -> Celery:
    """The application that both the workers of this half and its senders use.

    Raises BadSetting if no broker is set.
    """
    if not settings.broker_url:
        raise BadSetting(
            "MATCHBOX_BROKER_URL is empty; `matchbox up` starts a broker and sets it. For other "
            "workers, set it to the address of your broker"
        )
    app = Celery(half, broker=celery_address(settings.broker_url), set_as_current=False)
    app.conf.update(configuration(settings, half))
    return app


def send_result(app: Celery, task: str, message: dict[str, Any]) -> None:
    """Sends a result to the ledger's queue, with the time in its header.

    Raises what Celery raises if the broker cannot be reached.
    """
    sent = {wire.SENT_AT: time.time_ns() // 1_000_000}
    patience = {"max_retries": 3, "interval_max": 0.5}
    app.send_task(task, args=[message], headers=sent, retry_policy=patience)


def configuration(settings: Settings, half: Half) -> dict[str, Any]:
    """Celery's settings: a task is acknowledged once done; a killed worker's task comes back."""
    return {
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_acks_on_failure_or_timeout": True,
        "task_queues": [_queue(name) for name in dict.fromkeys(wire.QUEUES.values())],
        "task_routes": {task: {"queue": queue} for task, queue in wire.QUEUES.items()},
        "task_create_missing_queues": False,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "broker_connection_retry": True,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_transport_options": transport_options(settings, half),
        "timezone": "UTC",
    }


def transport_options(settings: Settings, half: Half) -> dict[str, Any]:
    """How the Redis transport keeps unfinished tasks, separately for each half.

    Without the two `unacked_restore` options, Celery looks for the tasks of killed workers only
    every 100 s.
    """
    return {
        "unacked_key": wire.TAKEN[0] if half == "arena" else "unacked.ledger",
        "unacked_index_key": wire.TAKEN[1] if half == "arena" else "unacked_index.ledger",
        "unacked_mutex_key": f"unacked_mutex.{half}",
        "visibility_timeout": visibility_s(settings, half),
        "unacked_restore_interval": _RESTORE_S,
        "unacked_restore_throttle": 1,
        "queue_order_strategy": "worker.app:UrgentFirst",
        "socket_connect_timeout": _CONNECT_S,
        "socket_keepalive": True,
    }


def visibility_s(settings: Settings, half: Half) -> int:
    """Seconds after which a task that was taken but not done is given to another worker.

    In the arena it only has to be longer than the longest match: a match whose lease ends is sent
    again from the database.
    """
    return _LEDGER_S if half == "ledger" else max(3600, 4 * 60 * settings.lease_minutes)


def _queue(name: str) -> Queue:
    return Queue(name, Exchange(name, type="direct"), routing_key=name)
