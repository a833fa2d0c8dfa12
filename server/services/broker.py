"""Asks the broker whether it answers, and which messages it has."""

from __future__ import annotations

import binascii
import json
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from kombu import Connection
from kombu.exceptions import ChannelError, OperationalError
from redis import RedisError, ResponseError

from matchbox.errors import BrokerUnavailable
from matchbox.match import wire
from matchbox.setting_values import celery_address
from server.db.waiting import wait_while

WAIT_S: Final = 2
"""The seconds to wait for an answer."""
LOOKED_AT: Final = 20
"""The most messages that are searched for the oldest result: some of them are ticks."""
_PROBE: Final = "matchbox.probe"
"""The key that is written to learn whether the broker takes new messages."""
_LOADING: Final = "loading the dataset"
_STARTING: Final = (
    *(_LOADING, "refused", "No such file or directory", "Timeout", "timed out"),
    *("Connection reset", "Connection closed by server", "Name or service not known"),
)
"""Texts of errors of the broker, or of the way to it, that may be over in a moment."""


def wait_for_start(url: str, most_s: float, report: Callable[[str], None]) -> None:
    """Waits up to `most_s` seconds while the broker seems to be starting.

    Reports why once. Raises Unavailable if it has not started by then; raises BrokerUnavailable at
    once if waiting does not help.
    """

    def trouble() -> str:
        try:
            waiting_results(url)
        except BrokerUnavailable as error:
            if not any(sign in str(error.__cause__) for sign in _STARTING):
                raise
            return str(error)
        return ""

    wait_while(trouble, most_s, report)


class Waiting(NamedTuple):
    """The number of messages for the ledger, and the time at which the oldest result was sent, UTC
    in ms.

    The time is None if there is no result among the oldest messages.
    """

    results: int
    oldest_at: int | None


def waiting_results(url: str) -> Waiting:
    """Returns the number and the age of the messages for the ledger.

    Raises BrokerUnavailable, also if the broker takes no new messages.
    """
    with _connected(url) as connection:
        client: Any = connection.default_channel.client
        client.set(_PROBE, b"", px=1)  # A full broker may still answer reads.
        queue = wire.QUEUES[wire.RECORD]
        try:
            found = connection.default_channel.queue_declare(queue, passive=True)
        except ChannelError:  # An empty queue does not exist.
            return Waiting(0, None)
        count = int(found.message_count)
        oldest = (client.lindex(queue, -place - 1) for place in range(min(count, LOOKED_AT)))
        times = (_sent_at(message) for message in oldest)
        return Waiting(count, next((at for at in times if at is not None), None))


def jobs(url: str, *, taken_s: float) -> set[tuple[str, int]]:
    """Returns the subject and attempt of every job whose message the broker still has.

    Of the messages that an arena has taken and not done, only those of the last `taken_s` seconds
    count. Raises BrokerUnavailable.
    """
    queues = {wire.QUEUES[task] for task in wire.JOBS}
    held, index = wire.TAKEN
    with _connected(url) as connection:
        client: Any = connection.default_channel.client
        messages = [one for queue in queues for one in client.lrange(queue, 0, -1)]
        tags = client.zrangebyscore(index, time.time() - taken_s, "+inf")
        taken = client.hmget(held, tags) if tags else []
    messages += [json.dumps(json.loads(one)[0]) for one in taken if one is not None]
    return {found for one in messages if (found := _job_in(one)) is not None}


def take(
    url: str, queues: Sequence[str], suits: Callable[[str, dict[str, Any]], bool], *, most: int
) -> tuple[str, dict[str, Any]] | None:
    """Removes the oldest suitable job from the first of these queues that has one.

    `suits` is called with the task and the message; `most` messages are read at a time. All other
    messages keep their places, so that none counts as lost. Returns the task and the message; None
    if none suits. Raises BrokerUnavailable.
    """
    with _connected(url) as connection:
        client: Any = connection.default_channel.client
        for queue in queues:
            for one in _oldest_first(client, queue, most):
                found = _read(one)
                if found is not None and suits(*found) and client.lrem(queue, -1, one):
                    return found
    return None


def _oldest_first(client: Any, queue: str, most: int) -> Iterator[bytes]:
    """The messages of a queue, of which `most` are read at a time."""
    place = 0
    while part := client.lrange(queue, -place - most, -place - 1):
        yield from reversed(part)
        place += most


def _sent_at(message: str | bytes | None) -> int | None:
    """The time at which an arena sent this result, UTC in ms; None if the message does not say."""
    try:
        return int(json.loads(message or "")["headers"][wire.SENT_AT])
    except (ValueError, LookupError, TypeError):
        return None


def _job_in(message: str | bytes) -> tuple[str, int] | None:
    """The subject and attempt of the job in Celery's message; None if there is none."""
    try:
        task, job = _read(message) or ("", {})
        return str(job[wire.JOBS[task].kind]), int(job["attempt"])
    except (ValueError, LookupError, TypeError):
        return None


def _read(message: str | bytes) -> tuple[str, dict[str, Any]] | None:
    """The task and its message in Celery's message; None if there is none."""
    try:
        envelope = json.loads(message)
        (job,), *_ = json.loads(b64decode(envelope["body"]))
        return str(envelope["headers"]["task"]), dict(job)
    except (ValueError, LookupError, TypeError, binascii.Error):
        return None


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    """A connection to the broker. Raises BrokerUnavailable, also for errors inside the block."""
    options = {"socket_connect_timeout": WAIT_S, "socket_timeout": WAIT_S, "max_retries": 0}
    address = celery_address(url)
    try:
        with Connection(address, connect_timeout=WAIT_S, transport_options=options) as connection:
            connection.ensure_connection(max_retries=1, timeout=WAIT_S)
            yield connection
    except (OperationalError, OSError, RedisError, *Connection(address).connection_errors) as error:
        if _LOADING in str(error):
            raise BrokerUnavailable("the broker is still loading its data; wait for it") from error
        if isinstance(error, ResponseError):  # Its memory or its disk is full, for example.
            raise BrokerUnavailable(f"the broker refuses to work: {error}") from error
        raise BrokerUnavailable("the queue cannot be reached; is the broker running?") from error
