"""Readers, submitters and a season side by side: `python -m tests.integration.load`.

A platform of its own plays a season throughout. Beside it a single reader visits pages, then many
(a closed loop), then requests arrive whether or not earlier ones have been answered (an open loop),
while authors upload bots. Each figure is compared with those of the single readers just before and
just after, since a season does not keep its speed: it has more and more results to look at.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from statistics import fmean, quantiles
from typing import Final
from urllib.parse import urlsplit

from bench.site.served import Site
from cli import output
from tests.builders import shipped
from tests.installation import Installation, installed

READERS: Final = 100
THINK_S: Final = 10.0
"""A reader opens the next page after this many seconds, in the mean; so does an open loop's."""
UPLOAD_S: Final = 10.0
"""An author uploads a bot this many seconds after the last verdict."""
SLOWER: Final = 5.0
"""The most that the slowest 20th of pages may take, as a multiple of a single reader's."""
ALONE: Final = "one reader"
SEASON: Final = 0.9
"""The least speed of the season, as a share of that beside a single reader."""
VERDICT_S: Final = 300.0
DEALS: Final = 20
KINDS: Final = ("simple", "scared", "medium")
ENTRANTS: Final = 14
A_CYCLE: Final = ENTRANTS * (ENTRANTS - 1)
"""The matches of a cycle: every two bots meet twice."""
MAX_CYCLES: Final = 100
PAGES: Final = (
    *("/", "/matches", "/leaderboards/bomb", "/games/bomb", "/bots/house/simple"),
    "/seasons",
)
COLUMNS: Final = (
    *("phase", "pages", "median ms", "95th ms", "ratio", "errors"),
    *("matches/s", "of the season", "uploads", "held"),
)


@dataclass
class Phase:
    """The measurements while a number of readers were there."""

    name: str
    taken_s: list[float] = field(default_factory=list)
    """The seconds until the first byte of each page; in an open loop, counted from the time it was
    due."""
    errors: Counter[str] = field(default_factory=Counter)
    """Each page or upload that failed, with the reason, and how often."""
    matches: int = 0
    seconds: float = 0.0
    verdicts_s: list[float] = field(default_factory=list)
    """The seconds from an upload to its verdict."""

    def percentile(self, at: int) -> float:
        """Returns the `at`-th percentile of the times, in ms."""
        return 1000 * quantiles(self.taken_s, n=100)[at - 1]

    @property
    def speed(self) -> float:
        """The season's matches a second."""
        return self.matches / self.seconds


@dataclass(frozen=True)
class Load:
    """A platform on which a season is being played, and how it is loaded."""

    platform: Installation
    token: str
    """The token of the author who uploads."""
    pages: tuple[str, ...]
    seconds: float
    """The length of a phase, in seconds."""

    @property
    def port(self) -> int:
        """Returns the port of the platform."""
        port = urlsplit(self.platform.url).port
        assert port is not None
        return port


def single(load: Load) -> Phase:
    """One reader, who opens page after page with short pauses; nobody uploads."""
    phase = Phase(ALONE)
    with _season(load, phase), _ended_after(load.seconds) as over:
        _read(load, phase, 0, over, pause_s=0.2)
    return phase


def closed(load: Load, readers: int) -> Phase:
    """Many readers, each of whom waits for a page, reads it, and opens the next."""
    phase = Phase(f"{readers} readers, closed loop")
    with _season(load, phase), _ended_after(load.seconds) as over:
        threads = [
            threading.Thread(target=_read, args=(load, phase, number, over, THINK_S))
            for number in range(readers)
        ]
        threads.append(threading.Thread(target=_upload, args=(load, phase, over)))
        _run(threads)
    return phase


def opened(load: Load, readers: int) -> Phase:
    """As many pages a second as the readers open, asked for at times drawn beforehand.

    The time of a page counts from when it was due, so a server that stands still is not spared the
    requests that would have come meanwhile.
    """
    phase = Phase(f"{readers / THINK_S:.0f} pages a second, open loop")
    drawn = random.Random("open loop")
    with _season(load, phase), _ended_after(load.seconds) as over:
        uploader = threading.Thread(target=_upload, args=(load, phase, over))
        uploader.start()
        begun, due = time.monotonic(), 0.0
        with ThreadPoolExecutor(2 * READERS) as pool:
            number = 0
            while (due := due + drawn.expovariate(readers / THINK_S)) < load.seconds:
                time.sleep(max(0.0, begun + due - time.monotonic()))
                page = load.pages[number % len(load.pages)]
                pool.submit(_ask_once, load, phase, number % 200, page, begun + due)
                number += 1
        uploader.join()
    return phase


def _run(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def _ended_after(seconds: float) -> Iterator[threading.Event]:
    """An event that is set after this many seconds, or when the block ends."""
    over = threading.Event()
    timer = threading.Timer(seconds, over.set)
    timer.start()
    try:
        yield over
    finally:
        timer.cancel()
        over.set()


@contextmanager
def _season(load: Load, phase: Phase) -> Iterator[None]:
    """Counts the season's matches that end during the block."""
    before, begun = _finished(load), time.monotonic()
    yield
    phase.matches = _finished(load) - before
    phase.seconds = time.monotonic() - begun


def _finished(load: Load) -> int:
    told = load.platform.get("/seasons/loaded")
    assert told["state"] == "running", "the season ended too soon: give it more --matches"
    return int(told["finished"])


def _read(load: Load, phase: Phase, number: int, over: threading.Event, pause_s: float) -> None:
    """Visits pages until it is over, with pauses drawn around the mean `pause_s`."""
    drawn = random.Random(number)
    site = Site(load.port, _address(number))
    over.wait(drawn.uniform(0, min(pause_s, load.seconds / 2)))
    while not over.is_set():
        _ask(site, phase, drawn.choice(load.pages), time.monotonic())
        over.wait(drawn.expovariate(1 / pause_s))
    site.close()


def _ask_once(load: Load, phase: Phase, number: int, page: str, due: float) -> None:
    site = Site(load.port, _address(number))
    _ask(site, phase, page, due)
    site.close()


def _ask(site: Site, phase: Phase, page: str, due: float) -> None:
    try:
        answer = site.get(page)
    except (OSError, HTTPException) as error:
        phase.errors[f"{page}: {error}"] += 1
        return
    if answer.status != 200:
        phase.errors[f"{page}: {answer.status}"] += 1
    phase.taken_s.append(time.monotonic() - due)


def _address(number: int) -> str:
    """An address of this machine for each reader, since the server limits each address."""
    return f"127.0.1.{number % 250 + 1}"


def _upload(load: Load, phase: Phase, over: threading.Event) -> None:
    """Uploads bot after bot, each once the last one has its verdict."""
    while not over.is_set():
        name = f"bot-{time.monotonic_ns()}"
        source = shipped("bomb", "simple") + f"# {name}\n".encode()
        begun = time.monotonic()
        told = load.platform.upload(name, source, token=load.token)
        if told.status_code != 201:
            phase.errors[f"upload: {told.text}"] += 1
            return
        state = load.platform.verdict(told.json()["id"], token=load.token)["state"]
        if state != "active":
            phase.errors[f"upload: {state}"] += 1
        phase.verdicts_s.append(time.monotonic() - begun)
        over.wait(UPLOAD_S)


def begin(platform: Installation, matches: int) -> None:
    """Starts a season of at least `matches` matches between quick bots."""
    platform.operator()
    names = [f"quick-{number}" for number in range(ENTRANTS)]
    made = [
        platform.upload(name, shipped("bomb", KINDS[number % len(KINDS)]) + f"# {name}\n".encode())
        for number, name in enumerate(names)
    ]
    for answer in made:
        assert platform.verdict(answer.json()["id"])["state"] == "active"
    cycles = -(-matches // A_CYCLE)
    platform.post("/seasons", name="loaded", league="bomb", cycles=cycles, deals=DEALS)
    for name in names:
        platform.post("/seasons/loaded/enter", bot=f"charlie/{name}")
    platform.post("/seasons/loaded/start")


def measure(matches: int, readers: int, seconds: float) -> list[Phase]:
    """Loads a platform of its own; returns the phases: single readers and others in turn."""
    with (
        tempfile.TemporaryDirectory(prefix="mbx-load-") as folder,
        installed(Path(folder) / "data") as platform,
    ):
        begin(platform, matches)
        season = platform.get("/seasons/loaded")["id"]
        match = platform.get("/matches", limit=1)["items"][0]["id"]
        pages = (*PAGES, f"/seasons/{season}", f"/matches/{match}")
        load = Load(platform, platform.author("alice"), pages, seconds)
        first, many = single(load), closed(load, readers)
        between, arriving = single(load), opened(load, readers)
        return [first, many, between, arriving, single(load)]


def rows(phases: Sequence[Phase]) -> list[tuple[list[str], bool]]:
    """A line of the table for each phase, and whether it holds what it must."""
    found = []
    for at, phase in enumerate(phases):
        alone = [one for one in phases[max(0, at - 1) : at + 2] if one.name == ALONE]
        ratio = phase.percentile(95) / fmean(one.percentile(95) for one in alone)
        share = phase.speed / fmean(one.speed for one in alone)
        held = phase.name == ALONE or (ratio <= SLOWER and share >= SEASON)
        held &= not phase.errors and max(phase.verdicts_s, default=0.0) <= VERDICT_S
        cells = [phase.name, str(len(phase.taken_s)), f"{phase.percentile(50):.1f}"]
        cells += [f"{phase.percentile(95):.1f}", f"{ratio:.1f}", str(phase.errors.total())]
        cells += [f"{phase.speed:.1f}", f"{share:.2f}", str(len(phase.verdicts_s))]
        found.append(([*cells, "yes" if held else "no"], held))
    return found


def main() -> None:
    """Prints a table; fails where a must is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=READERS)
    parser.add_argument("--seconds", type=float, default=60, help="of each of the five phases")
    most = A_CYCLE * MAX_CYCLES
    parser.add_argument("--matches", type=int, default=most, help=f"of the season, at most {most}")
    given = parser.parse_args()
    if given.readers < 1 or given.seconds < 1 or not 1 <= given.matches <= most:
        parser.error(f"give at least one reader and one second, and 1 to {most} matches")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and cleans up
    phases = measure(given.matches, given.readers, given.seconds)
    for error, times in sum((phase.errors for phase in phases), Counter[str]()).items():
        output.note(f"{error} ({times} times)")
    found = rows(phases)
    output.table(COLUMNS, [cells for cells, _ in found], "beside a season")
    sys.exit(not all(held for _, held in found))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
