"""Sends a task once its transaction is committed. Only this file of the server knows task names.

A message is stored in one transaction with the rows that it is about, and sent by `flush`. It may
be sent twice, but never before its rows are committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from celery import Celery
from kombu.exceptions import OperationalError
from sqlalchemy import bindparam, delete, insert, or_, select, update

from matchbox.errors import BrokerUnavailable
from matchbox.match import wire
from matchbox.setting_values import celery_address
from server.db.models import Outbox
from server.times import CLOCKS_MS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.db.session import Database

POSTED: Final = "posted"
"""The key in a session's `info` once the session has posted a message."""
TAKEN_MS: Final = 30_000
"""A process that has not sent a message this many ms after it took the message has died."""
_BATCH: Final = 200
_INSERT: Final = insert(Outbox)
_FREE: Final = (
    select(Outbox.id, Outbox.task, Outbox.message)
    .where(
        or_(
            Outbox.taken_at.is_(None),
            Outbox.taken_at < bindparam("before"),
            Outbox.taken_at > bindparam("after"),  # by a clock that was ahead
        )
    )
    .order_by(Outbox.id)
)
_NEXT: Final = _FREE.limit(_BATCH)
_ANY: Final = _FREE.limit(1)
_PATIENCE: Final = {
    "socket_connect_timeout": 2,
    "socket_timeout": 10,
    "max_retries": 1,
    "interval_start": 0.1,
    "interval_max": 0.1,
}
"""Short waits: the caller soon learns that the broker is down, and the tick tries again."""
_TASKS: Final = {
    wire.TryOut: wire.TRY_OUT,
    wire.PlayMatch: wire.PLAY_MATCH,
    wire.Teach: wire.LEARN,
    wire.TakeTurn: wire.TAKE_TURN,
    wire.Verify: wire.VERIFY,
}


class Sender(Protocol):
    """Hands tasks to the broker."""

    def send(self, task: str, queue: str, message: dict[str, Any]) -> None:
        """Hands the task to the queue. Raises BrokerUnavailable."""


class CelerySender:
    """Sends tasks by name through a broker; knows no task's code."""

    def __init__(self, broker_url: str) -> None:
        self._celery = Celery("outbox", broker=celery_address(broker_url), set_as_current=False)
        self._celery.conf.update(task_ignore_result=True, broker_transport_options=_PATIENCE)

    def send(self, task: str, queue: str, message: dict[str, Any]) -> None:
        """Hands the task to the queue. Raises BrokerUnavailable."""
        try:
            self._celery.send_task(task, args=[message], queue=queue, retry=False)
        except (OperationalError, OSError) as error:
            raise BrokerUnavailable(f"the queue cannot be reached: {error}") from error

    def close(self) -> None:
        """Closes the connections to the broker."""
        self._celery.close()


class OfflineSender:
    """Sends nothing: messages wait in the database for the ledger's next tick."""

    def send(self, task: str, queue: str, message: dict[str, Any]) -> None:
        """Raises BrokerUnavailable."""
        raise BrokerUnavailable(f"{task} waits for the ledger's next tick")


def post(session: Session, message: wire.AnyJob, task: str | None = None) -> None:
    """Stores the message, to be sent once the session's transaction is committed.

    The task, which decides the queue, is by default the usual one for a message of this type.
    """
    named = task or _TASKS[type(message)]
    row = {"task": named, "message": wire.to_plain(message)}
    session.connection().execute(_INSERT, row)
    session.info[POSTED] = True


def flush(database: Database, sender: Sender, now: int) -> int:
    """Sends the waiting messages; returns how many. Raises BrokerUnavailable.

    Messages that the broker did not accept stay for the next call.
    """
    waiting = _take(database, now)
    sent: list[int] = []
    try:
        for number, task, message in waiting:
            sender.send(task, wire.QUEUES[task], message)
            sent.append(number)
    finally:
        _put_back(database, now, sent, [number for number, *_ in waiting[len(sent) :]])
    return len(sent)


def is_waiting(session: Session) -> bool:
    """Whether a message waits to be sent, or is being sent."""
    return session.scalar(select(Outbox.id).limit(1)) is not None


def _take(database: Database, now: int) -> Sequence[tuple[int, str, dict[str, Any]]]:
    free = {"before": now - TAKEN_MS, "after": now + CLOCKS_MS}
    with database.read() as session:
        if session.scalar(_ANY, free) is None:
            return []
    with database.write() as session:
        rows = [(row.id, row.task, row.message) for row in session.execute(_NEXT, free)]
        _mark(session, [number for number, *_ in rows], now)
        return rows


def _put_back(database: Database, taken_at: int, sent: list[int], unsent: list[int]) -> None:
    if sent or unsent:
        with database.write() as session:
            # After TAKEN_MS another process may have sent one, and SQLite uses its number again.
            own = Outbox.taken_at == taken_at
            session.execute(delete(Outbox).where(Outbox.id.in_(sent), own))
            free = update(Outbox).where(Outbox.id.in_(unsent), own)
            session.execute(free.values(taken_at=None))


def _mark(session: Session, numbers: list[int], taken_at: int | None) -> None:
    session.execute(update(Outbox).where(Outbox.id.in_(numbers)).values(taken_at=taken_at))
