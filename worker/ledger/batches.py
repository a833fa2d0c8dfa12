"""Collects the results of matches that arrive close together, so that they are booked together.

It replaces Celery's strategy for a task: it gets each message as it arrives, and may keep it for a
moment. A message is acknowledged after the commit of its batch. If a batch cannot be booked, none
of it is booked. Then each of its messages is handled alone by the usual strategy, with its retries,
so a bad message harms no other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import structlog
from celery import Task
from celery.worker.strategy import default

log = structlog.get_logger(__name__)

MAX_MESSAGES: Final = 32
"""The greatest number of messages in a batch: a ledger takes that many before it acknowledges
one."""
WAIT_S: Final = 0.02
"""Seconds that the first message of a batch waits for others."""


class _Held(NamedTuple):
    """A message as Celery gives it to a strategy."""

    message: Any
    body: Any
    ack: Callable[..., object]
    reject: Callable[..., object]
    callbacks: Any


class Batches:
    """The messages of one task that wait to be booked together.

    `book` books the first arguments of tasks, all or none; `alone` is the usual strategy; `later`
    calls a function after some seconds; `acknowledge` takes an `ack`.
    """

    def __init__(
        self,
        book: Callable[[Sequence[object]], None],
        alone: Callable[..., object],
        later: Callable[[float, Callable[[], None]], object],
        acknowledge: Callable[[Callable[..., object]], object],
    ) -> None:
        self._book, self._alone = book, alone
        self._later, self._acknowledge = later, acknowledge
        self._held: list[_Held] = []

    def take(
        self, message: Any, body: Any, ack: Any, reject: Any, callbacks: Any, **_: Any
    ) -> None:
        """Keeps a message until its batch is full, or has waited for long enough."""
        if message.headers.get("eta"):  # A retry, which has a time of its own.
            self._alone(message, body, ack, reject, callbacks)
            return
        self._held.append(_Held(message, body, ack, reject, callbacks))
        if len(self._held) >= MAX_MESSAGES:
            self.flush()
        elif len(self._held) == 1:
            self._later(WAIT_S, self.flush)

    def flush(self) -> None:
        """Books the messages that are held, and acknowledges them."""
        held, self._held = self._held, []
        if len(held) > 1 and self._booked(held):
            for one in held:
                self._acknowledge(one.ack)
        else:
            for one in held:
                self._alone(*one)

    def _booked(self, held: Sequence[_Held]) -> bool:
        try:
            self._book([one.message.payload[0][0] for one in held])
        except Exception as error:  # noqa: BLE001 - Whatever it is, each message is tried alone.
            log.info("batch.undone", size=len(held), why=f"{type(error).__name__}: {error}")
            return False
        return True


def batched(book: Callable[[Sequence[object]], None]) -> type[Task]:
    """Returns the base class of a task whose messages are booked together by `book`."""

    class Batched(Task):  # type: ignore[misc]  # Celery has no types
        abstract = True

        def start_strategy(self, app: Any, consumer: Any, **_: Any) -> Callable[..., None]:
            def acknowledge(ack: Callable[..., object]) -> object:
                return ack(log, consumer.connection_errors)

            alone = default(self, app, consumer)
            return Batches(book, alone, consumer.timer.call_after, acknowledge).take

    return Batched
