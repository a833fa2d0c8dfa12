"""Disturbances of a platform: drawn from a seed, and struck one after the other.

Kills, freezes, cuts off, flushes, doubles, and fills the disk. Knows processes, the broker and the
database's server; knows no game's rules.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, cast
from uuid import uuid4

import psycopg
import redis

from matchbox.match import wire
from tests.installation import START_S, Installation, descendants, eventually, gone
from tests.integration.remote_host import Host
from tests.integration.stormy_season import reaches
from tests.services import driver_url, free_port, needs, postgres, redis_like
from worker import broker

IDLE_S: Final = 10.0
"""If no result arrives within this time, the stopped ledger may hold the lock that a claim
needs."""
KILLED: Final = ("arena-1", "arena-2", "ledger", "beat", "broker", "web", "internal", "up")
FROZEN: Final = ("arena-1", "ledger", "broker", "web")
OTHERS: Final = ("cut", "flush", "double", "fill")
"""Cut: arenas reach neither the server nor the broker, since both are frozen. Double: each message
is delivered twice."""
OF_HOST: Final = ("kill", "freeze", "cut")
"""The disturbances of the remote host. "cut" ends every connection of its line to the server and
refuses new ones."""
OF_DATABASE: Final = ("kill", "freeze")
"""The disturbances of a Postgres. "kill" kills one of its processes, after which it ends all
connections."""
SHORT_S: Final = (1.0, 4.0)
LONG_S: Final = (5.0, 75.0)
"""The least and the most seconds for which a program is frozen or cut off, or the disk is full."""


@dataclass(frozen=True)
class Blow:
    """One disturbance: its kind, its program, its length, and when it strikes."""

    kind: str
    target: str
    lasts_s: float
    due: int
    """It strikes after this many finished matches."""

    def __str__(self) -> str:
        at = f" {self.target}" if self.target else ""
        length = f" for {self.lasts_s:.0f} s" if self.lasts_s else ""
        return f"after {self.due} matches: {self.kind}{at}{length}"


def script(
    seed: str,
    matches: int,
    blows: int,
    lasts_s: tuple[float, float],
    *,
    disk: bool,
    database: bool = False,
) -> list[Blow]:
    """Draws disturbances from the seed, evenly over four fifths of the season.

    If `blows` is large enough, each kind comes once. The disk is filled only if the platform has a
    disk of its own (`disk`), and a database is struck only if it is a Postgres.
    """
    drawn = random.Random(seed)
    every = [("kill", name) for name in KILLED] + [("freeze", name) for name in FROZEN]
    every += [(kind, "") for kind in OTHERS if disk or kind != "fill"]
    every += [(kind, "host") for kind in OF_HOST]
    every += [(kind, "database") for kind in OF_DATABASE if database]
    chosen: list[tuple[str, str]] = []
    while len(chosen) < blows:
        chosen += drawn.sample(every, len(every))
    found = []
    for number, (kind, target) in enumerate(chosen[:blows], 1):
        length = drawn.uniform(*lasts_s) if kind in ("freeze", "cut", "fill") else 0.0
        found.append(Blow(kind, target, length, 4 * matches * number // (5 * blows)))
    return found


@dataclass
class Outside:
    """A Redis and a Postgres beside the platform. Both end with the stack."""

    stack: ExitStack
    database: str
    port: int = field(default_factory=free_port)
    """The port of the Redis."""

    @classmethod
    def opened(cls, stack: ExitStack) -> Outside:
        """Starts both; returns them running."""
        outside = cls(stack, stack.enter_context(postgres()))
        outside.start_broker()
        return outside

    @property
    def settings(self) -> dict[str, str]:
        """Returns the platform's settings for both."""
        url = f"redis://127.0.0.1:{self.port}/0"
        return {"MATCHBOX_BROKER_URL": url, "MATCHBOX_DATABASE_URL": self.database}

    def start_broker(self) -> None:
        """Starts the Redis, which keeps nothing on disk."""
        self.stack.enter_context(redis_like(needs("redis-server"), self.port))

    def broker(self) -> int:
        """Returns the pid of the Redis."""
        with redis.Redis(port=self.port) as queue:
            return int(cast("dict[str, int]", queue.info("server"))["process_id"])

    def postmaster(self) -> int:
        """Returns the pid of the Postgres's first process; 0 while it accepts no connections."""
        return self._ask("select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int")

    def backend(self) -> int:
        """Returns the pid of a Postgres process that serves the platform; 0 while there is none."""
        served = "backend_type = 'client backend' and pid <> pg_backend_pid()"
        return self._ask(f"select max(pid) from pg_stat_activity where {served}")

    def _ask(self, query: str) -> int:
        with (
            suppress(psycopg.OperationalError),
            psycopg.connect(driver_url(self.database)) as asked,
        ):
            row = asked.execute(query.encode()).fetchone()
            return int(row[0] or 0) if row else 0
        return 0


@dataclass
class Storm:
    """Strikes a platform by a script, and passes each blow to `tell`."""

    platform: Installation
    blows: Sequence[Blow]
    host: Host
    outside: Outside | None = None
    """The broker and database, if they are not embedded."""
    tell: Callable[[str], None] = lambda _: None
    struck: Counter[str] = field(default_factory=Counter)

    def rage(self) -> None:
        """Strikes one blow after the other while the season runs."""
        for blow in self.blows:
            reaches(self.platform, blow.due)
            self.tell(str(blow))
            self._strike(blow)
            self.struck[f"{blow.kind} {blow.target}".strip()] += 1

    def _strike(self, blow: Blow) -> None:
        match blow.kind:
            case "kill":
                self._kill(blow.target)
            case "freeze":
                self._freeze((blow.target,), blow.lasts_s)
            case "cut" if blow.target:
                self.host.wire.cut()
                time.sleep(blow.lasts_s)
                self.host.wire.mend()
            case "cut":
                self._freeze(("internal", "broker"), blow.lasts_s)
            case "flush":
                with queues(self.platform) as queue:
                    eventually(partial(flushed, queue))
            case "double":
                with queues(self.platform) as queue:
                    deliver_twice(self.platform, queue)
            case _:
                fill(self.platform.data, blow.lasts_s)

    def _kill(self, name: str) -> None:
        """Kills the program with signal 9. Starts the platform, or a broker beside it, again; every
        other program is started again by its parent."""
        if name == "up":
            everything = descendants(self.platform.pid)
            os.kill(self.platform.pid, signal.SIGKILL)
            self.platform.end()
            eventually(lambda: all(map(gone, everything)), why="something is left running")
            self.platform.start()
            return
        look: Callable[[], int] = partial(self._running, name)
        if name == "database" and self.outside:
            look = self.outside.backend
        pid = eventually(look, why=f"{name} does not run")
        signal_if_alive(pid, signal.SIGKILL)
        eventually(lambda: gone(pid))
        if name == "broker" and self.outside:
            self.outside.start_broker()

    def _freeze(self, names: Sequence[str], lasts_s: float) -> None:
        """Stops these programs with all their processes, and continues them after `lasts_s`
        seconds."""
        stopped: list[int] = []
        for name in names:
            pid = eventually(partial(self._running, name), why=f"{name} does not run")
            stopped += [pid, *descendants(pid)]
        try:
            for pid in stopped:
                signal_if_alive(pid, signal.SIGSTOP)
            time.sleep(lasts_s)
        finally:
            for pid in stopped:
                signal_if_alive(pid, signal.SIGCONT)

    def _running(self, name: str) -> int:
        """Returns the pid of the program of this name; 0 while there is none."""
        if name == "host":
            return self.host.arena()
        if self.outside and name == "broker":
            return self.outside.broker()
        if self.outside and name == "database":
            return self.outside.postmaster()
        return self.platform.programs().get(name, 0)


def signal_if_alive(pid: int, number: signal.Signals) -> None:
    """Sends the signal; ignores a process that has ended meanwhile."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def fill(folder: Path, lasts_s: float) -> None:
    """Fills the disk of this folder to the last byte, and frees it after `lasts_s` seconds."""
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                _write_while_possible(file.write, bytes(size))
        time.sleep(lasts_s)
    finally:
        ballast.unlink(missing_ok=True)


def _write_while_possible(write: Callable[[bytes], object], data: bytes) -> None:
    with suppress(OSError):
        while True:
            write(data)


@contextmanager
def queues(platform: Installation) -> Iterator[redis.Redis]:
    """Connects to the platform's broker, the embedded one or another."""
    url = platform.settings.get("MATCHBOX_BROKER_URL")
    socket = f"unix://{broker.socket_path(platform.data)}"
    with redis.Redis.from_url(url or socket) as queue:
        yield queue


def flushed(queue: redis.Redis) -> bool:
    """Makes the broker forget everything; False while there is none."""
    try:
        return bool(queue.flushdb())
    except redis.ConnectionError:
        return False


def deliver_twice(platform: Installation, queue: redis.Redis) -> None:
    """Stops the ledger until results wait for it, and delivers every waiting result and match
    twice."""
    stopped = stop_ledger(platform, queue)
    try:
        for task in (wire.RECORD, wire.PLAY_MATCH, wire.PLAY_COMPARISON, wire.PLAY_FIRST):
            for message in waiting(queue, task):
                queue.lpush(wire.QUEUES[task], again(message))
    finally:
        signal_if_alive(stopped, signal.SIGCONT)


def stop_ledger(platform: Installation, queue: redis.Redis) -> int:
    """Stops the ledger when results wait for it; returns its pid.

    A ledger that is stopped while it writes holds the lock of SQLite, so no arena can claim a
    match. If no result arrives, this continues the ledger and stops it again.
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
        signal_if_alive(ledger, signal.SIGCONT)
        assert time.monotonic() < deadline, "no results come in\n" + platform.logs()
        time.sleep(0.5)


def waiting(queue: redis.Redis, task: str) -> list[bytes]:
    """Returns the messages of this task in their queue; none while there is no broker."""
    try:
        found = cast("list[bytes]", queue.lrange(wire.QUEUES[task], 0, -1))
    except redis.ConnectionError:
        return []
    return [message for message in found if json.loads(message)["headers"]["task"] == task]


def again(message: bytes) -> bytes:
    """Returns the same message with a delivery tag of its own."""
    told = json.loads(message)
    told["properties"]["delivery_tag"] = str(uuid4())
    return json.dumps(told).encode()
