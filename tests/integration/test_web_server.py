"""The application under gunicorn, with the broker's counters: what only a real server shows."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import redis

from server.db.migrations import migrate
from tests.books import SECRET
from tests.services import DEADLINE_S, free_port, running, valkey_binary

SETTINGS = {"MATCHBOX_SECRET_KEY": SECRET, "MATCHBOX_ARENA_TOKEN": "a" * 32}


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


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[httpx.Client]:
    """A client of the application under gunicorn, until the block ends."""
    database = f"sqlite:///{folder / 'matchbox.db'}"
    migrate(database)
    port = free_port()
    knobs = {**SETTINGS, "MATCHBOX_DATABASE_URL": database, **settings}
    command = ["env", *(f"{name}={value}" for name, value in knobs.items())]
    command += [sys.executable, "-m", "gunicorn", "-k", "gthread", "-w", "2", "--threads", "8"]
    command += ["--no-control-socket", "-b", f"127.0.0.1:{port}", "server.app:from_environment()"]
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return httpx.get(f"{url}/healthz", trust_env=False).is_success
        except httpx.TransportError:
            return False

    with (
        running(command, answers, folder / "web.log"),
        httpx.Client(base_url=url, trust_env=False, timeout=DEADLINE_S) as client,
    ):
        yield client


def test_it_is_ready_with_its_broker(broker: str, tmp_path: Path) -> None:
    with serving(tmp_path, MATCHBOX_BROKER_URL=broker) as client:
        assert client.get("/readyz").json() == {"status": "ready"}
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


def test_a_body_of_ten_megabytes_is_told_why_it_is_refused(broker: str, tmp_path: Path) -> None:
    with serving(tmp_path, MATCHBOX_BROKER_URL=broker) as client:
        for _ in range(3):
            file = {"file": ("bot.py", b"#" * (10 << 20))}
            answer = client.post("/submit", data={"game": "bomb", "name": "long"}, files=file)
            assert answer.status_code == 413
            assert "64 KiB" in answer.text


def test_a_stream_tells_that_it_is_open_at_once(broker: str, tmp_path: Path) -> None:
    with (
        serving(tmp_path, MATCHBOX_BROKER_URL=broker) as client,
        client.stream("GET", "/api/v1/events?after=0") as stream,
    ):
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert next(stream.iter_lines()).startswith("retry: ")
