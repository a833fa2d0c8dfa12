"""The application under gunicorn, with the broker's counters: behaviour that only a real server
shows."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
import redis

from cli import web
from tests import slow_clients
from tests.installation import eventually
from tests.services import DEADLINE_S, running, valkey_binary
from tests.web_server import ARENA_TOKEN, serving

HEAD = b"POST /login HTTP/1.1\r\nHost: a\r\n"
ROUNDS = 20


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    """A Valkey on a unix socket, as `matchbox up` starts it."""
    with tempfile.TemporaryDirectory(prefix="mbx-") as folder:
        socket = Path(folder) / "broker.sock"
        command = [str(valkey_binary()), "--port", "0", "--unixsocket", str(socket), "--save", ""]

        def answers() -> bool:
            if not socket.exists():
                return False
            with redis.Redis(unix_socket_path=str(socket)) as client:
                return bool(client.ping())

        with running([*command, "--dir", folder], answers, Path(folder) / "log"):
            yield f"redis+socket://{socket}"


@pytest.fixture(scope="module")
def client(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server that waits two seconds for headers, and three for a body."""
    knobs = {"MATCHBOX_HEADERS_SECONDS": "2", "MATCHBOX_BODY_SECONDS": "3"}
    folder = tmp_path_factory.mktemp("web")
    with serving(folder, MATCHBOX_BROKER_URL=broker, **knobs) as client:
        yield client


def test_it_is_ready_with_its_broker(client: httpx.Client) -> None:
    assert client.get("/readyz").json()["status"] == "ready"
    assert client.get("/").status_code == 200
    assert "matchbox_requests_total" in client.get("/metrics").text


def test_every_process_counts_in_the_brokers_redis(broker: str, tmp_path: Path) -> None:
    knobs = {"MATCHBOX_BROKER_URL": broker, "MATCHBOX_REQUESTS_PER_MINUTE": "20"}
    with serving(tmp_path, **knobs) as client:
        client.headers["Connection"] = "close"  # so that either process may be the next to answer
        statuses = [client.get("/api/v1/games").status_code for _ in range(45)]
    assert set(statuses) == {200, 429}
    with redis.Redis(unix_socket_path=broker.removeprefix("redis+socket://")) as counters:
        assert any(b"matchbox-rates" in key for key in counters.scan_iter())


def test_a_body_of_ten_megabytes_is_told_why_it_is_refused(client: httpx.Client) -> None:
    for _ in range(3):
        file = {"file": ("bot.py", b"#" * (10 << 20))}
        answer = client.post("/submit", data={"game": "bomb", "name": "long"}, files=file)
        assert answer.status_code == 413
        assert "64 KiB" in answer.text
        assert answer.headers["Connection"] == "close"


def test_a_stream_tells_that_it_is_open_at_once(client: httpx.Client) -> None:
    with client.stream("GET", "/api/v1/events?after=0") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert next(stream.iter_lines()).startswith("retry: ")


def test_requests_that_come_together_are_answered_one_after_the_other(
    client: httpx.Client,
) -> None:
    with connection(client) as one:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
        told = b""
        while told.count(b'"alive"') < 3:
            data = one.recv(4096)
            assert data, told
            told += data
    assert told.count(b"HTTP/1.1 200 OK") == 3


def connection(client: httpx.Client) -> socket.socket:
    """A plain connection to the server of this client."""
    return socket.create_connection(("127.0.0.1", client.base_url.port or 0), DEADLINE_S)


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"HTTP/1.1 411 "),
        (HEAD + b"X-Long: " + b"x" * 66_000, b"HTTP/1.1 431 "),
        (HEAD + b"Content-Length: 5\r\nExpect: 100-continue\r\n\r\n", b"HTTP/1.1 100 "),
        (HEAD + b"Content-Length: 50\r\n\r\nslow", b"HTTP/1.1 408 "),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", b"HTTP/1.1 408 "),
        (b"nonsense\r\n\r\n", b"HTTP/1.1 400 "),
    ],
)
def test_what_does_not_arrive_as_a_request_is_told_why(
    sent: bytes, answer: bytes, client: httpx.Client
) -> None:
    with connection(client) as one:
        one.sendall(sent)
        assert one.recv(4096).startswith(answer)


def test_300_slow_clients_and_300_streams_of_one_address_stop_neither_pages_nor_arenas(
    broker: str, tmp_path: Path
) -> None:
    knobs = {"MATCHBOX_BROKER_URL": broker, "MATCHBOX_REQUESTS_PER_MINUTE": "1000000"}
    claim = {"kind": "match", "subject": "0" * 32, "attempt": 1, "token": "0" * 64}
    with ExitStack() as stack:
        public = stack.enter_context(serving(tmp_path, **knobs)).base_url.port or 0
        arenas = stack.enter_context(serving(tmp_path, web.INTERNAL, **knobs))
        arenas.headers["Authorization"] = f"Bearer {ARENA_TOKEN}"
        slow, streams = (
            stack.enter_context(slow_clients.hoarding(public, sent, 300, drip))
            for sent, drip in ((slow_clients.HALF_A_LOGIN, b"x"), (slow_clients.STREAM, b""))
        )
        eventually(lambda: slow.tries >= 300 and streams.tries >= 300)
        bob = stack.enter_context(slow_clients.neighbour(public, DEADLINE_S))
        for _ in range(ROUNDS):
            assert bob.get("/").status_code == 200
            assert bob.get("/healthz").status_code == 200
            with bob.stream("GET", "/api/v1/events") as stream:
                assert stream.status_code in (200, 429)  # His own last ones may still be open.
            assert arenas.post("/internal/claims", json=claim).status_code == 404
