"""Celery on a real broker, on both kinds of it: a job goes out, a result comes back, a killed
worker's job is done by the next one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from werkzeug.wrappers import Request, Response

from matchbox.bundle import digest
from matchbox.match import record as records
from matchbox.match import wire
from matchbox.match.wire import MatchPlayed, TriedOut
from matchbox.settings import Settings
from tests.installation import eventually
from tests.services import needs
from tests.unit.worker.bots import GOOD, text, turning
from tests.unit.worker.conftest import a_match, a_try_out
from tests.web_server import answering
from worker.app import make_celery

TOKEN = "t" * 40
DEADLINE_S = 240.0
ONE = GOOD.encode()
TWO = text("class Bot(ScaredPlayer):", "    pass")
SLOW = turning("sum(range(2_000_000))", "return None")


@pytest.fixture(params=["valkey_url", "redis_url"])
def broker(request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty broker of either kind."""
    url: str = request.getfixturevalue(request.param)
    with redis.from_url(url) as client:
        client.flushall()
        yield url
        client.flushall()


class Books:
    """As much of the server as an arena needs: bundles, and claims that are all granted."""

    def __init__(self, *bundles: bytes) -> None:
        self._bundles = {digest(bundle): bundle for bundle in bundles}
        self.walls: list[Any] = []
        self.claims: list[Any] = []

    def __call__(self, environ: Any, start_response: Any) -> Any:
        request = Request(environ)
        assert request.headers["Authorization"] == f"Bearer {TOKEN}"
        if request.path.startswith("/internal/bundles/"):
            answer = Response(self._bundles[request.path.rpartition("/")[2]])
        else:
            kept = self.walls if request.path == "/internal/walls" else self.claims
            kept.append(json.loads(request.get_data()))
            answer = Response(status=204)
        return answer(environ, start_response)


@contextmanager
def arena(broker: str, server: str, data: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A real arena worker, ended with the block."""
    command = [needs("setpriv"), "--pdeathsig", "KILL", sys.executable, "-m", "worker.start"]
    command += ["celery", "-A", "worker.arena.main", "worker", "-P", "solo"]
    command += ["-n", "arena-1@test"]
    command += ["--without-gossip", "--without-mingle", "-l", "INFO"]
    environment = {
        "PATH": os.environ["PATH"],
        "MATCHBOX_BROKER_URL": broker,
        "MATCHBOX_SERVER_URL": server,
        "MATCHBOX_ARENA_TOKEN": TOKEN,
        "MATCHBOX_DATA": str(data),
    }
    with (data / "arena.log").open("ab") as log:
        worker = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    try:
        yield worker
    finally:
        if worker.poll() is None:
            worker.terminate()
            try:
                worker.wait(20)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()


def send(broker: str, task: str, job: wire.Job) -> None:
    """Sends a job as the server does."""
    app = make_celery(Settings(broker_url=broker), "ledger")
    app.send_task(task, args=[wire.to_plain(job)])
    app.close()


def until(found: Callable[[], Any], data: Path) -> Any:
    """Returns the first truthy result of `found`; raises with the worker's log after a while."""
    return eventually(found, DEADLINE_S, (data / "arena.log").read_text)


def results(broker: str) -> list[tuple[str, dict[str, Any]]]:
    """The tasks in the books' queue with their messages, oldest first."""
    with redis.from_url(broker) as client:
        raw: Any = client.lrange("ledger", 0, -1)
    messages = [json.loads(one) for one in reversed(raw)]
    return [(one["headers"]["task"], _arguments(one)) for one in messages]


def _arguments(message: dict[str, Any]) -> dict[str, Any]:
    from base64 import b64decode

    arguments: dict[str, Any] = json.loads(b64decode(message["body"]))[0][0]
    return arguments


def test_a_job_goes_out_and_its_result_comes_back(broker: str, tmp_path: Path) -> None:
    books = Books(ONE, TWO)
    with answering(books) as server, arena(broker, server, tmp_path):
        send(broker, wire.TRY_OUT, a_try_out(ONE))
        send(broker, wire.PLAY_MATCH, a_match(ONE, TWO))
        until(lambda: len(results(broker)) == 2, tmp_path)
    found = dict(results(broker))
    assert wire.from_plain(TriedOut, found[wire.SETTLE]).accepted
    record = records.unpack(wire.from_plain(MatchPlayed, found[wire.RECORD]).record)
    assert len(record.bouts) == 4
    assert len({claim["subject"] for claim in books.claims}) == 2
    wall = books.walls[0]
    assert (wall["arena"], wall["walled"], wall["why"]) == ("arena-1@test", True, "")


def test_a_killed_arena_takes_its_job_up_again_when_it_starts(broker: str, tmp_path: Path) -> None:
    books = Books(SLOW, TWO)
    with answering(books) as server:
        with arena(broker, server, tmp_path) as first:
            send(broker, wire.PLAY_MATCH, a_match(SLOW, TWO, deals=10))
            until(lambda: books.claims, tmp_path)
            first.send_signal(signal.SIGKILL)
            first.wait()
        assert results(broker) == []
        before = len(books.claims)
        with arena(broker, server, tmp_path):
            until(lambda: results(broker), tmp_path)
    assert [task for task, _ in results(broker)] == [wire.RECORD]
    assert len(books.claims) > before


def test_an_arena_that_is_told_to_stop_gives_its_job_back(broker: str, tmp_path: Path) -> None:
    books = Books(SLOW, TWO)
    with answering(books) as server:
        with arena(broker, server, tmp_path) as worker:
            send(broker, wire.PLAY_MATCH, a_match(SLOW, TWO, deals=50))
            until(lambda: books.claims, tmp_path)
            worker.terminate()
            assert worker.wait(DEADLINE_S) == 0
        with redis.from_url(broker) as client:
            assert client.llen("ranked") == 1
    assert results(broker) == []
    assert not list(tmp_path.glob("*.job"))


def test_what_a_message_needs_is_named_where_it_is_missing(broker: str, tmp_path: Path) -> None:
    app = make_celery(Settings(broker_url=broker), "ledger")
    books = Books(ONE, TWO)
    with answering(books) as server, arena(broker, server, tmp_path):
        app.send_task(wire.PLAY_MATCH, args=[{"match": "m"}])
        send(broker, wire.PLAY_MATCH, a_match(ONE, TWO))
        until(lambda: results(broker), tmp_path)
    app.close()
    assert "this is not a PlayMatch message" in (tmp_path / "arena.log").read_text()
    assert [task for task, _ in results(broker)] == [wire.RECORD]
