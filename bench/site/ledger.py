"""`python -m bench.site.ledger URL`: the cost of a ledger that starts with a full database.

It runs in a process of its own, like a ledger after a restart, and prints one JSON object. Ticks
and bookings are timed by the processor time of their thread. There is no queue: messages are passed
on directly.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from sqlalchemy import func, select

from bench.site.books import SETTINGS
from cli import output
from matchbox.match import wire
from matchbox.match.wire import PlayMatch
from server.context import Context
from server.db.models import Bundle, Match, MatchState, Standing
from server.db.session import Database
from server.services import booking, walls
from server.services.tick import tick
from worker.arena.play import play_job
from worker.ledger.batches import MAX_MESSAGES
from worker.ledger.refit_process import RefitProcess
from worker.ledger.refitter import Refitter

TICKS: Final = 9
REFIT_S: Final = 3600.0
"""The seconds that the standings may take before the measurement gives up."""


@dataclass(frozen=True, slots=True)
class Started:
    """The cost of a ledger after its start."""

    first_result_s: float
    """Wall time from the start of the process's work to the first recorded result."""
    tick_ms: float
    """The median processor time of a tick, in ms."""
    book_ms: float
    """The mean processor time of recording a match, in ms, over matches that are recorded
    together."""
    booked: int
    """The number of these matches."""
    standings_s: float
    """Wall time from the start until the standings include all recorded matches."""
    memory_mb: float
    """The most memory that the process has had, in MB."""
    refit_memory_mb: float
    """The most memory that its process for standings has had, in MB."""


@dataclass
class _Outbox:
    """Takes the messages that would go to the broker."""

    jobs: list[PlayMatch] = field(default_factory=list)

    def send(self, task: str, queue: str, message: dict[str, Any]) -> None:
        """Keeps the matches to play."""
        if task == wire.PLAY_MATCH:
            self.jobs.append(wire.from_plain(PlayMatch, message))

    def take(self, most: int) -> list[PlayMatch]:
        """Takes the first matches away, up to that many."""
        taken, self.jobs = self.jobs[:most], self.jobs[most:]
        return taken


def started(url: str) -> Started:
    """The cost of a ledger that starts now with this database, in a process of its own."""
    command = [sys.executable, "-m", "bench.site.ledger", url]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Started(**json.loads(done.stdout))


def measure(url: str) -> Started:
    """Starts a ledger with the database at this address, and lets it record the waiting results."""
    began, outbox = time.perf_counter(), _Outbox()
    context = Context(SETTINGS, Database(url), outbox)
    before = _counted(context)
    refits = RefitProcess(SETTINGS, url)
    refitter = Refitter(refits.refresh)
    refitter.start()
    try:
        with context.write() as session:
            wall = {"box": "bwrap", "walled": True, "why": ""}
            walls.report_wall(session, wall, now=context.now())
        tick(context, with_standings=False)
        refitter.wake()
        if len(outbox.jobs) < 2:
            raise RuntimeError("these books have no waiting matches: fill new ones")
        _book(context, [_played(context, outbox.jobs.pop(0))])
        first = time.perf_counter() - began
        booked, spent = 0, 0.0
        while outbox.jobs:
            batch = [_played(context, job) for job in outbox.take(MAX_MESSAGES)]
            spent += _processor_ms(partial(_book, context, batch))
            booked += len(batch)
        ticks = [_processor_ms(partial(tick, context, with_standings=False)) for _ in range(TICKS)]
        _wait_for_standings(context, refitter, before + 1 + booked, began)
        ready = time.perf_counter() - began
    finally:
        refitter.close()
        refits.close()
        context.close()
    refit_memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    return Started(first, median(ticks), spent / booked, booked, ready, _peak_mb(), refit_memory)


def _peak_mb() -> float:
    """The most memory that this process has had, in MB. The figure of getrusage would include its
    parent's."""
    (peak,) = re.findall(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(peak) / 1000


def _played(context: Context, job: PlayMatch) -> dict[str, Any]:
    return wire.to_plain(play_job(job, _bundles(context, job), None))


def _book(context: Context, batch: Sequence[dict[str, Any]]) -> None:
    """Records the results together, as the ledger does with results that arrive together."""
    booking.book_matches(context, batch)
    names = [played["match"] for played in batch]
    with context.read() as session:
        left = Match.id.in_(names), Match.state != MatchState.FINISHED
        if session.scalar(select(Match.id).where(*left).limit(1)) is not None:
            raise RuntimeError("the books did not take a match")


def _processor_ms(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return 1000 * (time.thread_time() - began)


def _bundles(context: Context, job: PlayMatch) -> dict[str, bytes]:
    """The files of the job's bots, by digest."""
    wanted = {seat.version for seat in job.seats}
    with context.read() as session:
        found = session.scalars(select(Bundle).where(Bundle.digest.in_(wanted)))
        return {one.digest: one.data for one in found}


def _counted(context: Context) -> int:
    """The number of matches in the leagues' standings."""
    matches = select(func.sum(Standing.matches)).where(Standing.scope.startswith("league:"))
    with context.read() as session:
        return session.scalar(matches) or 0


def _wait_for_standings(context: Context, refitter: Refitter, wanted: int, began: float) -> None:
    """Returns once `wanted` matches are in the standings. Raises RuntimeError if that takes too
    long.

    It does not ask which standings are out of date: that would read them, which a ledger leaves to
    its process for standings.
    """
    while _counted(context) != wanted:
        if time.perf_counter() - began > REFIT_S:
            raise RuntimeError(f"the standings were not up to date after {REFIT_S:.0f} s")
        refitter.wake()
        time.sleep(0.2)


if __name__ == "__main__":
    output.document(asdict(measure(sys.argv[1])))
