"""Servers that are not ready yet: a start waits for them, says so once, and goes on."""

from __future__ import annotations

import os
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from matchbox.errors import BrokerUnavailable, Unavailable
from server.db.errors import wait_for_start
from server.services import broker
from tests import services
from tests.installation import eventually

KEYS = 40
DELAY_US = 2_000_000
"""The time, in µs, that the broker takes for each key while it starts, until the test shortens
it."""


def alone(port: int) -> redis.Redis:
    """Returns a client that does not retry."""
    return redis.Redis(port=port, retry=Retry(NoBackoff(), 0))


@pytest.fixture
def loading(tmp_path: Path) -> Iterator[str]:
    """The address of a broker that loads its data for more than a minute."""
    port = services.free_port()
    command = [services.needs("setpriv"), "--pdeathsig", "KILL", str(services.valkey_binary())]
    command += ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(tmp_path), "--save", ""]

    def answers() -> bool:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False

    def loads() -> bool:
        try:
            client.ping()
        except redis.BusyLoadingError:
            return True
        except redis.ConnectionError:
            return False
        return False

    with alone(port) as client, services.running(command, answers, tmp_path / "first"):
        for number in range(KEYS):
            client.set(f"key-{number}", random.Random(number).randbytes(5000))
        client.save()
    slow = ["--key-load-delay", str(DELAY_US), "--loading-process-events-interval-bytes", "1024"]
    with alone(port) as client, services.running([*command, *slow], loads, tmp_path / "second"):
        yield f"redis://127.0.0.1:{port}/0"


def test_a_start_waits_for_a_broker_that_is_loading_its_data(loading: str) -> None:
    told: list[str] = []

    def hear(why: str) -> None:
        told.append(why)
        with redis.Redis.from_url(loading) as client:
            client.config_set("key-load-delay", 0)

    broker.wait_for_start(loading, 60, hear)
    assert told == ["the broker is still loading its data; wait for it"]
    assert broker.waiting_results(loading).results == 0


def test_a_start_waits_for_a_broker_that_is_not_there_yet_and_not_for_ever() -> None:
    url = f"redis://127.0.0.1:{services.free_port()}/0"
    told: list[str] = []
    with pytest.raises(Unavailable, match=r"is the broker running\? \(waited for 1 s\)"):
        broker.wait_for_start(url, 1, told.append)
    assert told == ["the queue cannot be reached; is the broker running?"]
    with pytest.raises(Unavailable, match=r"is the broker running\?$"):
        broker.wait_for_start(url, 0, told.append)


def test_nobody_waits_for_a_broker_that_wants_another_password() -> None:
    with services.redis_like(services.valkey_binary()) as url:
        with redis.Redis.from_url(url) as client:
            client.config_set("requirepass", "secret")
        with pytest.raises(BrokerUnavailable):
            broker.wait_for_start(url, 60, lambda _: pytest.fail("it waited"))


def test_a_start_waits_for_a_proxy_that_is_there_before_postgres() -> None:
    port = services.free_port()
    url = f"postgresql+psycopg://nobody@127.0.0.1:{port}/books"
    told: list[str] = []
    waiting = threading.Thread(target=wait_for_start, args=(url, 120, told.append), daemon=True)
    with ExitStack() as stack:
        with socket.create_server(("127.0.0.1", port)) as proxy:
            waiting.start()
            for _ in range(6):  # as a proxy does whose Postgres is away; each try knocks repeatedly
                proxy.accept()[0].close()
            eventually(lambda: told)
            assert waiting.is_alive()
        stack.enter_context(services.postgres(port))
        waiting.join(60)
        assert not waiting.is_alive()
    (why,) = told
    assert "start Postgres" in why
    assert "closed the connection unexpectedly" in why or "reset by peer" in why
    assert os.linesep not in why
