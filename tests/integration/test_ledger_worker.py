"""The ledger as it runs: a real worker, a real beat and a real broker around the same books."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from sqlalchemy import func, select

from matchbox.match import wire
from matchbox.match.wire import PlayMatch, TryOut
from matchbox.settings import read_settings
from server import queries
from server.context import Context, make_context
from server.db.models import League, MatchState, Result, Role, User, Version, VersionState
from server.outbox import CelerySender
from server.services.tick import tick
from tests.books import SECRET, SIMPLE, Books, Clock, Postman, lost, played, tried_out
from tests.installation import eventually

DEADLINE_S = 240.0


@pytest.fixture(params=["redis", "valkey"])
def environment(
    request: pytest.FixtureRequest, empty_database: Path, tmp_path: Path
) -> dict[str, str]:
    """The settings of a platform with an empty broker and empty books."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    with redis.Redis.from_url(url) as broker:
        broker.flushall()
    shutil.copy(empty_database, tmp_path / "matchbox.db")
    return {
        "MATCHBOX_DATA": str(tmp_path),
        "MATCHBOX_BROKER_URL": url,
        "MATCHBOX_SECRET_KEY": SECRET,
        "MATCHBOX_TICK_SECONDS": "1",
        "MATCHBOX_MATCH_DEALS": "1",
        "MATCHBOX_LEAGUE_MATCHES": "10",
        # A worker that is killed between taking a result from the broker and setting it aside takes
        # it along; the row brings the match back after a lease, which is to be within DEADLINE_S.
        "MATCHBOX_LEASE_MINUTES": "1",
        "MATCHBOX_REPLAY_PERCENT": "0",  # The records are made up.
    }


@pytest.fixture
def platform(environment: dict[str, str]) -> Iterator[Context]:
    """The context of a server beside the ledger."""
    made = make_context(read_settings(environment))
    yield made
    assert isinstance(made.sender, CelerySender)
    made.sender.close()
    made.close()


@contextmanager
def celery(
    environment: dict[str, str], module: str, *arguments: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the ledger's half."""
    command = [sys.executable, "-m", "worker.start", "celery", "-A", module, *arguments]
    log = Path(environment["MATCHBOX_DATA"]) / f"{arguments[0]}.log"
    with log.open("ab") as out:
        process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=out, stderr=out
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(DEADLINE_S)


def worker(environment: dict[str, str]) -> Any:
    """A ledger's worker."""
    return celery(
        environment,
        "worker.ledger.main",
        "worker",
        "-P",
        "solo",
        "-Q",
        "ledger",
        "--without-mingle",
    )


def beat(environment: dict[str, str]) -> Any:
    """A ledger's beat."""
    return celery(environment, "worker.ledger.beat", "beat")


def until(happened: Callable[[], Any], environment: dict[str, str]) -> Any:
    """Calls until the result is truthy; returns it."""
    logs = Path(environment["MATCHBOX_DATA"])
    return eventually(
        happened, DEADLINE_S, lambda: "\n".join(log.read_text() for log in logs.glob("*.log"))
    )


class Queues:
    """The arenas' end of the broker."""

    def __init__(self, url: str, sender: CelerySender) -> None:
        self._broker = redis.Redis.from_url(url)
        self._sender = sender

    def take(self, queue: str, kind: type[Any]) -> list[Any]:
        """Takes every job out of the queue."""
        jobs = []
        while letter := self._broker.lpop(queue):
            assert isinstance(letter, bytes)
            body = json.loads(letter)["body"]
            (message,), _, _ = json.loads(b64decode(body))
            jobs.append(wire.from_plain(kind, message))
        return jobs

    def give(self, task: str, message: dict[str, Any]) -> None:
        """Sends a result to the ledger."""
        self._sender.send(task, wire.QUEUES[task], message)

    def unread(self, queue: str) -> int:
        """Returns how many messages wait."""
        return int(self._broker.llen(queue))

    def close(self) -> None:
        """Closes the connection."""
        self._broker.close()


@pytest.fixture
def queues(environment: dict[str, str], platform: Context) -> Iterator[Queues]:
    """The arenas' end of the broker."""
    assert isinstance(platform.sender, CelerySender)
    made = Queues(environment["MATCHBOX_BROKER_URL"], platform.sender)
    yield made
    made.close()


@pytest.mark.slow
def test_a_ledger_that_is_killed_goes_on_where_it_was(
    environment: dict[str, str], platform: Context, queues: Queues
) -> None:
    books = Books(platform, Clock(time.time_ns() // 1_000_000), Postman())
    books.league()
    versions = [uploaded(books, books.person(name, Role.OPERATOR)) for name in ("alice", "bob")]
    with worker(environment), beat(environment):
        for job in queues.take("tryout", TryOut):
            queues.give(wire.SETTLE, wire.to_plain(tried_out(job)))
            queues.give(wire.SETTLE, wire.to_plain(tried_out(job)))
        until(lambda: all(is_active(books, version) for version in versions), environment)
        jobs: list[PlayMatch] = []
        until(lambda: len(taken(queues, jobs)) >= 2, environment)
    queues.give(wire.RECORD, {"nonsense": True})
    queues.give(wire.RECORD, wire.to_plain(played(jobs[0])))
    queues.give(wire.RECORD, wire.to_plain(played(jobs[0])))
    queues.give(wire.LOST, wire.to_plain(lost(jobs[1])))
    for job in jobs[2:]:
        queues.give(wire.RECORD, wire.to_plain(played(job)))
    with worker(environment):
        until(lambda: is_finished(books, jobs[0]), environment)
    with worker(environment), beat(environment):
        until(lambda: play(queues) and is_finished(books, jobs[1]), environment)
        until(lambda: play(queues) and at_rest(platform), environment)
    with platform.read() as session:
        assert queries.queue(session, now=0).queued == 0
        assert len(session.scalars(select(Result)).all()) == 10


@pytest.mark.slow
def test_results_that_wait_are_booked_together_and_once(
    environment: dict[str, str], platform: Context, queues: Queues
) -> None:
    books = Books(platform, Clock(time.time_ns() // 1_000_000), Postman())
    books.league()
    for name in ("alice", "bob"):
        uploaded(books, books.person(name, Role.OPERATOR))
    for job in queues.take("tryout", TryOut):
        assert books.settle(tried_out(job))
    tick(platform)
    jobs = matches(queues)
    assert len(jobs) > 5
    for job in jobs * 2:
        queues.give(wire.RECORD, wire.to_plain(played(job)))
    with worker(environment):
        until(lambda: all(is_finished(books, job) for job in jobs), environment)
        until(lambda: not queues.unread("ledger"), environment)
    with platform.read() as session:
        assert session.scalar(select(func.count()).select_from(Result)) == len(jobs)
        assert session.scalar(select(func.sum(League.finished))) == len(jobs)
        moments = session.scalars(select(Result.finished_at).distinct()).all()
    assert len(moments) < len(jobs)  # On a busy machine, few arrive close together.


@pytest.mark.slow
def test_a_ledger_without_its_database_ends_and_takes_no_result(
    environment: dict[str, str], platform: Context, queues: Queues
) -> None:
    (Path(environment["MATCHBOX_DATA"]) / "matchbox.db").unlink()
    queues.give(wire.RECORD, {"nonsense": True})
    with worker(environment) as process:
        assert process.wait(DEADLINE_S) == 1
    assert queues.unread("ledger") == 1
    assert "the database has schema none" in log_of("worker", environment)


def log_of(name: str, environment: dict[str, str]) -> str:
    """Returns what that process has logged."""
    return (Path(environment["MATCHBOX_DATA"]) / f"{name}.log").read_text()


def uploaded(books: Books, person: User) -> Version:
    """Returns a waiting version of the person's own."""
    return books.upload(person, "bot", SIMPLE + f"# {person.name}\n".encode())


def is_active(books: Books, version: Version) -> bool:
    """True once the version is settled."""
    return books.version(version.id).state == VersionState.ACTIVE


def is_finished(books: Books, job: PlayMatch) -> bool:
    """True once the match is booked."""
    return books.match(job.match).state == MatchState.FINISHED


def matches(queues: Queues) -> list[PlayMatch]:
    """Takes every match out of its queue; the first of a new bot has a queue of its own."""
    return [job for queue in ("ranked", "first") for job in queues.take(queue, PlayMatch)]


def taken(queues: Queues, jobs: list[PlayMatch]) -> list[PlayMatch]:
    """Returns these jobs and those that have arrived since."""
    jobs += matches(queues)
    return jobs


def play(queues: Queues) -> bool:
    """Plays the queued jobs; returns True."""
    for job in matches(queues):
        queues.give(wire.RECORD, wire.to_plain(played(job)))
    return True


def at_rest(platform: Context) -> bool:
    """Returns whether both bots have played enough and stand on the board."""
    with platform.read() as session:
        return bool(queries.leaderboard(session, "bomb").matches == 10)
