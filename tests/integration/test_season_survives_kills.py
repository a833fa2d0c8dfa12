"""A season of 400 matches on the real platform, undisturbed and with everything killed.

The same seed has to give the same 400 records, byte for byte, and the same standing, on the
embedded broker and books, and on Debian's Redis with Postgres.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast
from uuid import uuid4

import pytest
import redis

from matchbox.match import wire
from tests.builders import shipped
from tests.installation import START_S, Installation, eventually, installed
from worker import broker

pytestmark = pytest.mark.slow

MATCHES: Final = 400
SEED: Final = "the season that survives"
SEASON_S: Final = 900.0
IDLE_S: Final = 5.0
"""If no result has come in by then, the ledger may hold the lock that a claim needs."""
BOTS: Final = ("simple", "scared", "medium")


@dataclass(frozen=True)
class Season:
    """What is left of a season."""

    records: tuple[str, ...]
    """A line of JSON a match: its digest, its record."""
    standing: dict[str, Any]

    @property
    def digests(self) -> list[str]:
        """The digest of every record, in the order of the plan."""
        return [json.loads(line)["digest"] for line in self.records]

    @property
    def matches(self) -> list[str]:
        """The id of every match."""
        return [json.loads(line)["record"]["match"] for line in self.records]


def begin(platform: Installation) -> None:
    """Starts the season: five bots, of which every two meet 40 times."""
    platform.operator()
    mine = {"cautious": "medium", "hasty": "simple"}
    for name, like in mine.items():
        told = platform.upload(name, shipped("bomb", like) + f"# {name}\n".encode()).json()
        assert platform.verdict(told["id"])["state"] == "active"
    platform.post("/seasons", name="stormy", league="bomb", cycles=20, deals=1, seed=SEED)
    for bot in (*(f"house/{name}" for name in BOTS), *(f"charlie/{name}" for name in mine)):
        platform.post("/seasons/stormy/enter", bot=bot)
    assert platform.post("/seasons/stormy/start")["matches"] == MATCHES


def finished(platform: Installation) -> int:
    """How many matches of the season are over."""
    return int(platform.get("/seasons/stormy")["finished"])


def reaches(platform: Installation, matches: int) -> None:
    """Returns once so many matches are over."""
    eventually(lambda: finished(platform) >= matches, SEASON_S, "the season stands still")


def outcome(platform: Installation) -> Season:
    """The season once it is over; nothing of it is parked, void or played twice."""
    over = lambda: platform.get("/seasons/stormy")["state"] == "finished"  # noqa: E731
    eventually(over, SEASON_S, "the season does not end")
    told = platform.items("/matches", season=platform.get("/seasons/stormy")["id"])
    assert len(told) == MATCHES
    assert {match["state"] for match in told} == {"finished"}
    records = platform.ask("GET", "/seasons/stormy/export").text.splitlines()
    standing = platform.get("/seasons/stormy/standings")
    lines = [{k: v for k, v in line.items() if k != "version_id"} for line in standing["lines"]]
    kept = {name: standing[name] for name in ("matches", "rows_digest")}
    return Season(tuple(records), {**kept, "lines": lines})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Season:
    """The season as it should be."""
    with installed(tmp_path_factory.mktemp("calm") / "data") as platform:
        begin(platform)
        season = outcome(platform)
    assert len(season.digests) == len(set(season.matches)) == MATCHES
    assert len(set(season.digests)) == MATCHES
    return season


def test_a_season_in_which_everything_is_killed_ends_as_one_in_which_nothing_was(
    undisturbed: Season, tmp_path: Path
) -> None:
    with installed(tmp_path / "data") as platform:
        begin(platform)
        with embedded(platform) as queue:
            for number, name in enumerate(
                ("arena-1", "ledger", "broker", "web", "arena-2", "ledger", "beat", "broker"), 1
            ):
                reaches(platform, 15 * number)
                platform.kill(name)
                deliver_twice(platform, queue)
        supervisor = platform.pid
        os.kill(supervisor, signal.SIGKILL)
        platform.end()
        platform.start()
        assert platform.pid != supervisor
        season = outcome(platform)
    assert season.standing == undisturbed.standing
    assert season.records == undisturbed.records


def test_a_season_survives_on_a_redis_that_forgets_everything_and_on_postgres(
    undisturbed: Season, tmp_path: Path, redis_url: str, postgres_database: str
) -> None:
    settings = {
        "MATCHBOX_BROKER_URL": redis_url.removesuffix("/0") + "/3",
        "MATCHBOX_DATABASE_URL": postgres_database,
    }
    with installed(tmp_path / "data", settings) as platform:
        begin(platform)
        with redis.Redis.from_url(settings["MATCHBOX_BROKER_URL"]) as queue:
            reaches(platform, 30)
            platform.kill("ledger")
            deliver_twice(platform, queue)
            reaches(platform, 60)
            platform.kill("arena-2")
            queue.flushdb()
            season = outcome(platform)
    assert season.standing == undisturbed.standing
    assert season.records == undisturbed.records


@contextmanager
def embedded(platform: Installation) -> Iterator[redis.Redis]:
    """A way to the queues of the embedded broker."""
    with redis.Redis(unix_socket_path=str(broker.socket_path(platform.data))) as queue:
        yield queue


def deliver_twice(platform: Installation, queue: redis.Redis) -> None:
    """Stops the ledger until results wait for it, and delivers every waiting message once more."""
    stopped = stop_ledger(platform, queue)
    try:
        for task in (wire.RECORD, wire.PLAY_MATCH):
            for message in waiting(queue, task):
                queue.lpush(wire.QUEUES[task], again(message))
    finally:
        os.kill(stopped, signal.SIGCONT)


def stop_ledger(platform: Installation, queue: redis.Redis) -> int:
    """Stops the ledger, with results waiting for it; its pid.

    A ledger that is stopped while it writes holds the lock of SQLite, so no arena can claim a
    match. Where nothing comes in, it continues and is stopped anew.
    """
    deadline = time.monotonic() + START_S
    while True:
        ledger = eventually(lambda: platform.programs().get("ledger", 0))
        os.kill(ledger, signal.SIGSTOP)
        until = time.monotonic() + IDLE_S
        while time.monotonic() < until:
            if waiting(queue, wire.RECORD):
                return ledger
            time.sleep(0.05)
        os.kill(ledger, signal.SIGCONT)
        assert time.monotonic() < deadline, "no results come in\n" + platform.logs()
        time.sleep(0.5)


def waiting(queue: redis.Redis, task: str) -> list[bytes]:
    """The messages of this task that wait in their queue; none while there is no broker."""
    try:
        found = cast("list[bytes]", queue.lrange(wire.QUEUES[task], 0, -1))
    except redis.ConnectionError:
        return []
    return [message for message in found if json.loads(message)["headers"]["task"] == task]


def again(message: bytes) -> bytes:
    """The same message, as a delivery of its own."""
    told = json.loads(message)
    told["properties"]["delivery_tag"] = str(uuid4())
    return json.dumps(told).encode()
