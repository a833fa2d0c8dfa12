"""Another host plays: a real `matchbox arena --join` against a real web server and broker."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import redis
from sqlalchemy import select

from matchbox.match import record as records
from server.db.models import Match, MatchState, Role, User
from server.outbox import CelerySender
from server.services import arena_keys, job_kinds
from server.services.arena_lines import arena_lines
from server.services.tick import tick
from tests.books import Books, Clock, open_books, season_of
from tests.services import needs
from tests.unit.worker.bots import turning
from tests.web_server import serving

pytestmark = pytest.mark.slow

NAME: Final = "lab-1@key:lab"
SLOW: Final = turning("sum(range(3_000_000))", "return None")
DEADLINE_S: Final = 120.0
GONE_S: Final = 60.0
"""A host that is cut off is shown as silent within this time."""


@dataclass
class Wire:
    """A line between the arena and the server that can be cut."""

    target: tuple[str, int]
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    open: list[socket.socket] = field(default_factory=list)
    is_cut: bool = False

    @property
    def url(self) -> str:
        """The address at this end."""
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def cut(self) -> None:
        """Ends every connection, and takes no new one."""
        self.is_cut = True
        for one in self.open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Takes connections again."""
        self.is_cut = False

    def serve(self) -> None:
        """Passes bytes on until the listener is closed."""
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(self.target)
                self.open += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(1 << 16):
            other.sendall(data)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Now(Clock):
    """The time, as the server has it."""

    def __call__(self) -> int:
        return time.time_ns() // 1_000_000


@dataclass
class Platform:
    """A web server with its books and a broker, but without any arena."""

    books: Books
    wire: Wire
    data: Path
    charlie: User

    def key(self) -> str:
        """A new key called lab."""
        with self.books.write() as session:
            return arena_keys.make(session, self.charlie, "lab", now=self.books.clock()).key

    def states(self) -> dict[str, str]:
        """The state of every match."""
        with self.books.read() as session:
            return {row.id: row.state for row in session.scalars(select(Match))}

    def arena(self) -> Any:
        """What the page of health says of the arena; None before its first report."""
        with self.books.read() as session:
            lines = arena_lines(session, self.books.clock())
        return next((one for one in lines if one.full_name == NAME), None)

    def until(self, done: Callable[[], object], deadline_s: float = DEADLINE_S) -> float:
        """Does what the ledger would do until the condition holds; how many seconds it took."""
        began = time.monotonic()
        while not done():
            told = (self.states(), self.arena(), self.logs())
            assert time.monotonic() - began < deadline_s, told
            tick(self.books.context)
            time.sleep(0.2)
        return time.monotonic() - began

    def logs(self) -> str:
        """What the arenas have written."""
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
        season_of(opened, charlie, bots, deals=2)
        parts = urlsplit(str(client.base_url))
        wire = Wire((parts.hostname or "", parts.port or 0))
        threading.Thread(target=wire.serve, daemon=True).start()
        yield Platform(opened, wire, tmp_path / "arena", charlie)
        wire.listener.close()
        opened.context.close()


@contextmanager
def joined(platform: Platform, key: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command on the other host, ended with the block."""
    command = [needs("setpriv"), "--pdeathsig", "TERM", sys.executable]
    command += ["-c", "from cli.main import main; main()", "arena", "--join", platform.wire.url]
    command += ["--arenas", "1", "--data", str(platform.data)]
    environment = {"PATH": os.environ["PATH"], "MATCHBOX_ARENA_KEY": key}
    with platform.data.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def child_of(process: subprocess.Popen[bytes]) -> int:
    """The process that plays."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(children[0])


def test_another_host_plays_matches_to_their_booked_results(platform: Platform) -> None:
    with joined(platform, platform.key()) as process:
        platform.until(lambda: set(platform.states().values()) == {MatchState.FINISHED})
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
        platform.until(lambda: process.poll() is not None, 60)
    assert process.returncode == 1
    assert "was removed" in platform.logs()


def test_a_host_that_is_killed_or_cut_off_loses_nothing_and_comes_back(platform: Platform) -> None:
    def playing() -> bool:
        line = platform.arena()
        return line is not None and MatchState.RUNNING in platform.states().values() and holds()

    def holds() -> bool:
        with platform.books.read() as session:
            return bool(job_kinds.held(session, NAME))

    with joined(platform, platform.key()) as process:
        platform.until(playing)
        os.kill(child_of(process), signal.SIGKILL)
        platform.until(playing)
        platform.wire.cut()
        took = platform.until(lambda: platform.arena().state == "silent", GONE_S)
        assert took < GONE_S
        platform.wire.mend()
        platform.until(lambda: platform.arena().state == "reports", GONE_S)
        platform.until(lambda: set(platform.states().values()) == {MatchState.FINISHED})
    found = [platform.books.match(name) for name in platform.states()]
    assert {(one.arena, one.platform_faults) for one in found} == {(NAME, 0)}
