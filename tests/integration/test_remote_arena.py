"""Another host plays: a real `matchbox arena --join` against a real web server and broker."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest
import redis
from sqlalchemy import select

from matchbox.match import record as records
from server.db.models import Event, Match, MatchState, Role, User
from server.outbox import CelerySender
from server.services import arena_keys, job_kinds
from server.services.arena_lines import arena_lines
from server.services.tick import tick
from tests.books import Books, Clock, open_books, season_of
from tests.integration.remote_host import Wire, joined, wired
from tests.unit.worker.bots import turning
from tests.web_server import serving

pytestmark = pytest.mark.slow

NAME: Final = "lab-1@key:lab"
OTHER: Final = "hall-1@key:hall"
SLOW: Final = turning("sum(range(3_000_000))", "return None")
DEADLINE_S: Final = 1_200.0
"""The matches must be over within this time, in seconds. Other tests may take the processors."""
GONE_S: Final = 120.0
"""A cut-off host is shown as silent within this time, in seconds: 45, and what a crowded machine
takes."""
ENDS_S: Final = 240.0
"""A host whose key was removed ends within this time, in seconds."""
Found = TypeVar("Found")


class Now(Clock):
    """The server's time."""

    def __call__(self) -> int:
        return time.time_ns() // 1_000_000


@dataclass
class Platform:
    """A web server with its books and a broker, but without any arena."""

    books: Books
    wire: Wire
    server_url: str
    data: Path
    charlie: User

    def key(self, name: str = "lab") -> str:
        """A new key of that name."""
        with self.books.write() as session:
            return arena_keys.make(session, self.charlie, name, now=self.books.clock()).key

    def held(self) -> list[str]:
        """The ids of the matches that the arena holds."""
        with self.books.read() as session:
            return [one.id for one in job_kinds.held(session, NAME) if isinstance(one, Match)]

    def is_over(self) -> bool:
        """Whether every match is over."""
        return set(self.states().values()) == {MatchState.FINISHED}

    def booked(self) -> list[str]:
        """Returns one match id for each booking of a result."""
        finished = select(Event.subject).where(Event.kind == "match.finished")
        with self.books.read() as session:
            return list(session.scalars(finished))

    def states(self) -> dict[str, str]:
        """The state of every match."""
        with self.books.read() as session:
            return {row.id: row.state for row in session.scalars(select(Match))}

    def arena(self, name: str = NAME) -> Any:
        """Returns the arena as the health page shows it; None before its first report."""
        with self.books.read() as session:
            lines = arena_lines(session, self.books.clock())
        return next((one for one in lines if one.full_name == name), None)

    def until(self, look: Callable[[], Found], deadline_s: float = DEADLINE_S) -> Found:
        """Does the ledger's work until `look` finds something; returns what it found."""
        began = time.monotonic()
        while not (found := look()):
            told = (self.states(), self.arena(), self.logs())
            assert time.monotonic() - began < deadline_s, told
            tick(self.books.context)
            time.sleep(0.2)
        return found

    def logs(self) -> str:
        """Returns the arenas' logs."""
        return "\n".join(log.read_text()[-4000:] for log in self.data.parent.rglob("arena*.log"))


@pytest.fixture
def broker(valkey_url: str) -> Iterator[str]:
    """An empty broker."""
    with redis.from_url(valkey_url) as client:
        client.flushall()
        yield valkey_url
        client.flushall()


@pytest.fixture
def platform(tmp_path: Path, broker: str) -> Iterator[Platform]:
    """A platform that waits for its arenas."""
    with serving(tmp_path, MATCHBOX_BROKER_URL=broker) as client:
        opened = open_books(f"sqlite:///{tmp_path / 'matchbox.db'}", broker_url=broker)
        opened.clock = Now()
        opened.context = replace(opened.context, now=opened.clock)
        opened.wall()
        charlie = opened.person("charlie", Role.OPERATOR)
        opened.league(paused=True)
        bots = [opened.bot(charlie, name, SLOW + b"# " + name.encode()) for name in ("one", "two")]
        opened.context = replace(opened.context, sender=CelerySender(broker))
        season_of(opened, charlie, bots, deals=2, cycles=5)
        url = str(client.base_url)
        with wired(url) as wire:
            yield Platform(opened, wire, url, tmp_path / "arena", charlie)
        opened.context.close()


def test_another_host_plays_matches_to_their_booked_results(platform: Platform) -> None:
    with joined(platform.wire, platform.key(), platform.data) as host:
        platform.until(platform.is_over)
        for name in platform.states():
            found = platform.books.match(name)
            assert (found.arena, found.attempt, found.platform_faults) == (NAME, 1, 0)
            with platform.books.read() as session:
                result = session.merge(found).result
                assert result is not None
                assert records.digest(records.unpack(result.record)) == result.digest
        with platform.books.write() as session:
            arena_keys.drain(session, platform.charlie, "lab", now=platform.books.clock())
        line = platform.arena()
        assert (line.state, line.key, line.key_state) == ("reports", "lab", "draining")
        assert platform.data.joinpath("logs/arena-1.log").exists()
        with platform.books.write() as session:
            arena_keys.remove(session, platform.charlie, "lab", now=platform.books.clock())
        platform.until(lambda: host.process.poll() is not None, ENDS_S)
    assert host.process.returncode == 1
    assert "was removed" in platform.logs()


def test_a_host_that_is_killed_or_cut_off_loses_nothing_and_comes_back(platform: Platform) -> None:
    with joined(platform.wire, platform.key(), platform.data) as host:
        killed = platform.until(platform.held)
        os.kill(platform.until(host.arena), signal.SIGKILL)
        platform.until(lambda: platform.held() not in ([], killed))
        platform.wire.cut()
        platform.until(lambda: platform.arena().state == "silent", GONE_S)
        platform.wire.mend()
        platform.until(lambda: platform.arena().state == "reports", GONE_S)
        platform.until(platform.is_over)
    found = [platform.books.match(name) for name in platform.states()]
    assert {(one.arena, one.platform_faults) for one in found} == {(NAME, 0)}


def test_the_job_of_a_host_that_is_cut_off_is_done_by_another_and_booked_once(
    platform: Platform, tmp_path: Path
) -> None:
    key = platform.key("hall")
    with wired(platform.server_url) as line, joined(line, key, tmp_path / "hall"):
        platform.until(lambda: platform.arena(OTHER))
        with joined(platform.wire, platform.key(), platform.data):
            (held,) = platform.until(platform.held)
            platform.wire.cut()
            platform.until(platform.is_over)
            taken = platform.books.match(held)
            assert (taken.arena, taken.attempt, taken.platform_faults) == (OTHER, 2, 0)
            platform.wire.mend()
            platform.until(lambda: platform.arena().state == "reports", GONE_S)
    again = platform.books.match(held)
    assert (again.arena, again.attempt, again.finished_at) == (OTHER, 2, taken.finished_at)
    assert sorted(platform.booked()) == sorted(platform.states())
