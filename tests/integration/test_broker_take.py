"""Takes matching jobs out of a real broker, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis

from matchbox.match import wire
from server.outbox import CelerySender
from server.services import broker

pytestmark = pytest.mark.slow

QUEUE = wire.QUEUES[wire.VERIFY]


@pytest.fixture
def sender(valkey_url: str) -> Iterator[CelerySender]:
    """Sends to an empty broker."""
    with redis.from_url(valkey_url) as client:
        client.flushall()
        made = CelerySender(valkey_url)
        yield made
        made.close()
        client.flushall()


def test_a_message_that_suits_nobody_stays_in_its_place(
    valkey_url: str, sender: CelerySender
) -> None:
    for number in (1, 2, 3):
        message = {"verification": f"verification:{number}", "attempt": 1}
        sender.send(wire.VERIFY, QUEUE, message)
    asked: list[str] = []

    def suits(task: str, message: dict[str, Any]) -> bool:
        assert task == wire.VERIFY
        known = broker.jobs(valkey_url, taken_s=60)
        assert (message["verification"], 1) in known, "nobody takes it for lost meanwhile"
        asked.append(message["verification"])
        return message["verification"] != "verification:1"

    def take() -> Any:
        return broker.take(valkey_url, ["nothing", QUEUE], suits, most=2)

    assert take()[1]["verification"] == "verification:2"
    assert take()[1]["verification"] == "verification:3"
    assert take() is None
    assert asked == [f"verification:{number}" for number in (1, 2, 1, 3, 1)]
    assert broker.jobs(valkey_url, taken_s=60) == {("verification:1", 1)}


def test_any_number_of_messages_that_suit_nobody_hide_no_other(
    valkey_url: str, sender: CelerySender
) -> None:
    for number in range(5):
        sender.send(wire.VERIFY, QUEUE, {"verification": f"verification:{number}", "attempt": 1})
    sender.send(wire.PLAY_COMPARISON, QUEUE, {"match": "m", "attempt": 1})
    found = broker.take(valkey_url, [QUEUE], lambda task, _: task != wire.VERIFY, most=2)
    assert found == (wire.PLAY_COMPARISON, {"match": "m", "attempt": 1})
