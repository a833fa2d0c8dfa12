"""A season while a seeded script disturbs everything: `python -m tests.integration.chaos`.

The same season is played twice: undisturbed, and in a storm that kills, freezes, cuts off, flushes,
doubles and fills the disk. Both must give the same records, byte for byte, and the same standing.
Knows processes, the broker and what the API answers; knows no game's rules.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, cast
from uuid import uuid4

import redis

from matchbox.match import wire
from tests.builders import shipped
from tests.installation import START_S, Installation, descendants, eventually, installed
from worker import broker

SEED: Final = "the season that survives"
SEASON_S: Final = 900.0
"""The season stands still if no match ends for this long."""
IDLE_S: Final = 10.0
"""If no result has come in by then, the ledger may hold the lock that a claim needs."""
BOTS: Final = ("simple", "scared", "medium")
A_CYCLE: Final = 20
"""The matches of a cycle: every two of five bots meet twice."""
DISK: Final = "768m"
"""The size of the disk that is filled. It holds the data folder and nothing else."""
KILLED: Final = ("arena-1", "arena-2", "ledger", "beat", "broker", "web", "internal", "up")
FROZEN: Final = ("arena-1", "ledger", "broker", "web")
OTHERS: Final = ("cut", "flush", "double", "fill")
"""Cut: arenas reach neither the server nor the broker. Double: each message is delivered twice."""
SHORT_S: Final = (1.0, 4.0)
LONG_S: Final = (5.0, 75.0)
"""How long something is frozen, cut off or full, in seconds: from and to."""


@dataclass(frozen=True)
class Season:
    """What is left of a season."""

    records: tuple[str, ...]
    """A line of JSON for each match: its digest and its record."""
    standing: dict[str, Any]

    @property
    def digests(self) -> list[str]:
        """The digest of every record, in the order of the plan."""
        return [json.loads(line)["digest"] for line in self.records]

    @property
    def matches(self) -> list[str]:
        """The id of every match."""
        return [json.loads(line)["record"]["match"] for line in self.records]


def begin(platform: Installation, matches: int, seed: str = SEED, *, more: bytes = b"") -> None:
    """Starts the season: five bots play `matches` matches, a multiple of A_CYCLE.

    `more` is added to the files of the two that are uploaded.
    """
    platform.operator()
    mine = {"cautious": "medium", "hasty": "simple"}
    for name, like in mine.items():
        told = platform.upload(name, shipped("bomb", like) + more + f"# {name}\n".encode()).json()
        assert platform.verdict(told["id"])["state"] == "active"
    cycles = matches // A_CYCLE
    platform.post("/seasons", name="stormy", league="bomb", cycles=cycles, deals=1, seed=seed)
    for bot in (*(f"house/{name}" for name in BOTS), *(f"charlie/{name}" for name in mine)):
        platform.post("/seasons/stormy/enter", bot=bot)
    assert platform.post("/seasons/stormy/start")["matches"] == matches


def finished(platform: Installation) -> int:
    """How many matches of the season are over."""
    return int(platform.get("/seasons/stormy")["finished"])


def reaches(platform: Installation, matches: int) -> None:
    """Returns once this many matches are over."""
    eventually(
        lambda: finished(platform) >= matches, SEASON_S, "the season stands still", pause_s=0.2
    )


def outcome(platform: Installation, matches: int) -> Season:
    """The season once it is over; no match is parked, void, lost or there twice."""

    def over() -> bool:
        return bool(platform.get("/seasons/stormy")["state"] == "finished")

    while not over():
        reaches(platform, min(matches, finished(platform) + 1))
        if finished(platform) == matches:
            eventually(over, SEASON_S, "the season does not end")
    told = platform.items("/matches", season=platform.get("/seasons/stormy")["id"])
    assert len(told) == matches, f"{len(told)} matches, not {matches}"
    states = Counter(match["state"] for match in told)
    assert set(states) == {"finished"}, dict(states)
    records = platform.ask("GET", "/seasons/stormy/export").text.splitlines()
    standing = platform.get("/seasons/stormy/standings")
    lines = [{k: v for k, v in line.items() if k != "version_id"} for line in standing["lines"]]
    kept = {name: standing[name] for name in ("matches", "rows_digest")}
    return Season(tuple(records), {**kept, "lines": lines})


@dataclass(frozen=True)
class Blow:
    """One disturbance: what is done, to which program, for how long, and when."""

    kind: str
    target: str
    lasts_s: float
    due: int
    """It strikes once this many matches are over."""

    def __str__(self) -> str:
        at = f" {self.target}" if self.target else ""
        length = f" for {self.lasts_s:.0f} s" if self.lasts_s else ""
        return f"after {self.due} matches: {self.kind}{at}{length}"


def script(
    seed: str, matches: int, blows: int, lasts_s: tuple[float, float], *, disk: bool
) -> list[Blow]:
    """The disturbances that this seed draws, evenly over four fifths of the season.

    Where `blows` allows it, each comes once.

    The disk is filled only where `disk` says that the platform has one of its own.
    """
    drawn = random.Random(seed)
    every = [("kill", name) for name in KILLED] + [("freeze", name) for name in FROZEN]
    every += [(kind, "") for kind in OTHERS if disk or kind != "fill"]
    chosen: list[tuple[str, str]] = []
    while len(chosen) < blows:
        chosen += drawn.sample(every, len(every))
    found = []
    for number, (kind, target) in enumerate(chosen[:blows], 1):
        length = drawn.uniform(*lasts_s) if kind in ("freeze", "cut", "fill") else 0.0
        found.append(Blow(kind, target, length, 4 * matches * number // (5 * blows)))
    return found


@dataclass
class Storm:
    """Strikes a platform by a script, and tells each blow to `tell`."""

    platform: Installation
    blows: Sequence[Blow]
    tell: Callable[[str], None] = lambda _: None
    struck: Counter[str] = field(default_factory=Counter)

    def rage(self) -> None:
        """Strikes blow after blow while the season goes on."""
        for blow in self.blows:
            reaches(self.platform, blow.due)
            self.tell(str(blow))
            self._strike(blow)
            self.struck[blow.kind] += 1

    def _strike(self, blow: Blow) -> None:
        if blow.kind == "kill" and blow.target == "up":
            os.kill(self.platform.pid, signal.SIGKILL)
            self.platform.end()
            self.platform.start()
        elif blow.kind == "kill":
            self.platform.kill(blow.target)
        elif blow.kind == "freeze":
            self._freeze((blow.target,), blow.lasts_s)
        elif blow.kind == "cut":
            self._freeze(("internal", "broker"), blow.lasts_s)
        elif blow.kind == "flush":
            with embedded(self.platform) as queue:
                eventually(partial(flushed, queue))
        elif blow.kind == "double":
            with embedded(self.platform) as queue:
                deliver_twice(self.platform, queue)
        else:
            fill(self.platform.data, blow.lasts_s)

    def _freeze(self, names: Sequence[str], lasts_s: float) -> None:
        """Stops these programs with all their processes, and lets them go on later."""
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
        return self.platform.programs().get(name, 0)


def signal_if_alive(pid: int, number: signal.Signals) -> None:
    """Sends the signal; a process that has ended meanwhile is passed over."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def fill(folder: Path, lasts_s: float) -> None:
    """Fills the disk of this folder to the last byte, and frees it later."""
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
def embedded(platform: Installation) -> Iterator[redis.Redis]:
    """A way to the queues of the embedded broker."""
    with redis.Redis(unix_socket_path=str(broker.socket_path(platform.data))) as queue:
        yield queue


def flushed(queue: redis.Redis) -> bool:
    """Makes the broker forget everything; False while there is none."""
    try:
        return bool(queue.flushall())
    except redis.ConnectionError:
        return False


def deliver_twice(platform: Installation, queue: redis.Redis) -> None:
    """Stops the ledger until results wait for it, and delivers every waiting message once more."""
    stopped = stop_ledger(platform, queue)
    try:
        for task in (wire.RECORD, wire.PLAY_MATCH):
            for message in waiting(queue, task):
                queue.lpush(wire.QUEUES[task], again(message))
    finally:
        signal_if_alive(stopped, signal.SIGCONT)


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
        signal_if_alive(ledger, signal.SIGCONT)
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


def calm(folder: Path, matches: int, seed: str = SEED) -> Season:
    """The season as it should be, played in this folder."""
    with installed(folder) as platform:
        begin(platform, matches, seed)
        return outcome(platform, matches)


def mount(folder: Path) -> None:
    """Mounts a small disk of its own at this folder. Raises CalledProcessError without the right.

    The caller has a mount namespace of its own, so the disk is gone with the last process in it.
    """
    folder.mkdir(parents=True)
    options = f"size={DISK},mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "matchbox", str(folder)], check=True)


def run(
    matches: int, seed: str, blows: int, tell: Callable[[str], None], *, disk: bool
) -> dict[str, Any]:
    """Plays the season twice, undisturbed and in the storm; what was seen, and what was wrong."""
    wrong: list[str] = []
    struck: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mbx-chaos-") as name:
        tell(f"{matches} matches, undisturbed")
        expected = calm(Path(name) / "calm", matches, seed)
        place = Path(name) / "disk"
        if disk:
            mount(place)
        else:
            tell("the disk is not filled: that takes --disk")
        try:
            with installed(place / "data") as platform:
                begin(platform, matches, seed)
                drawn = script(seed, matches, blows, LONG_S, disk=disk)
                Storm(platform, drawn, tell, struck).rage()
                found = outcome(platform, matches)
                wrong += _difference(expected, found)
        except AssertionError as error:
            wrong.append(str(error))
        finally:
            if disk:
                subprocess.run(["umount", "--lazy", str(place)], check=False)
    return {
        "matches": matches,
        "seed": seed,
        "struck": dict(sorted(struck.items())),
        "disk": disk,
        "wrong": wrong,
    }


def _difference(expected: Season, found: Season) -> list[str]:
    """Sentences: how the season of the storm differs from the undisturbed one."""
    told = []
    if len(set(found.matches)) != len(expected.matches):
        told.append(f"{len(set(found.matches))} matches have a result, not {len(expected.matches)}")
    pairs = zip(expected.records, found.records, strict=False)
    differing = sum(1 for calm_one, one in pairs if calm_one != one)
    if differing:
        told.append(f"{differing} records differ from those of the undisturbed season")
    if expected.standing != found.standing:
        told.append("the standing is not that of the undisturbed season")
    return told


def main() -> None:
    """Prints what was seen; fails where anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=2000, help=f"a multiple of {A_CYCLE}")
    parser.add_argument("--seed", default=SEED, help="of the season's deals and of the script")
    parser.add_argument("--blows", type=int, default=32, help="how many disturbances")
    parser.add_argument(
        "--disk", action="store_true", help="fill a disk as well: takes root and `unshare --mount`"
    )
    given = parser.parse_args()
    if given.matches < A_CYCLE or given.matches % A_CYCLE or given.blows < 1:
        parser.error(f"give a multiple of {A_CYCLE} matches, and at least one blow")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and cleans up
    tell = partial(print, file=sys.stderr, flush=True)
    found = run(given.matches, given.seed, given.blows, tell, disk=given.disk)
    print(json.dumps(found, indent=2), flush=True)
    sys.exit(bool(found["wrong"]))


if __name__ == "__main__":
    main()
