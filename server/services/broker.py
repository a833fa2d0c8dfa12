"""Asks the broker whether it answers, and how many results wait in it for the ledger."""

from __future__ import annotations

from typing import Final

from kombu import Connection
from kombu.exceptions import ChannelError, OperationalError

from matchbox.errors import BrokerUnavailable
from matchbox.match import wire

WAIT_S: Final = 2
"""The seconds to wait for an answer."""


def waiting_results(url: str) -> int:
    """Returns how many messages wait for the ledger. Raises BrokerUnavailable."""
    options = {"socket_connect_timeout": WAIT_S, "socket_timeout": WAIT_S, "max_retries": 0}
    address = url.replace("unix://", "redis+socket://", 1)
    try:
        with Connection(address, connect_timeout=WAIT_S, transport_options=options) as connection:
            connection.ensure_connection(max_retries=1, timeout=WAIT_S)
            queue = wire.QUEUES[wire.RECORD]
            try:
                found = connection.default_channel.queue_declare(queue, passive=True)
            except ChannelError:  # An empty queue does not exist.
                return 0
            return int(found.message_count)
    except (OperationalError, OSError) as error:
        raise BrokerUnavailable("the queue cannot be reached; is the broker running?") from error
