"""Plays an experiment in a pool of processes, and gathers the results.

An experiment begins anew when a bot is found to keep state: from then on, fresh processes play each
of its games.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TypeAlias, TypedDict, TypeVar, cast

from laboratory.planning import Results, kind_of
from laboratory.sittings import games_of, play_task, sampled, task_of
from laboratory.worker_pool import WorkerPool
from matchbox.lab import result_rows
from matchbox.lab.grid import GridResult
from matchbox.lab.matrix import MatrixResult
from matchbox.lab.places import PlacesResult
from matchbox.lab.plan import Plan, Sitting

Follow: TypeAlias = Callable[[Callable[[], int]], object]
"""Called whenever the experiment begins anew, with a function that returns the finished games."""
Show: TypeAlias = Callable[[Callable[[], Iterable[tuple[str, str]]]], object]
"""Called after each sitting, with a function that returns every bot's name and figure so far."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Experiment:
    """The results of an experiment, and its cost."""

    results: Results
    box: str
    seconds: float
    games: int
    """The number of games played."""
    stateful: Sequence[str]
    """The bots that answer differently alone than among other bouts."""
    alone: Sequence[str] = ()
    """Those of them whose games were then played again, each by a fresh process."""


class Run(TypedDict):
    """How an experiment was played: the end of its document."""

    stateful: list[str]
    alone: list[str]
    """As in `Experiment`."""
    box: str
    workers: int
    """The number of processes."""
    seconds: float
    games_per_second: float


class MatrixDocument(MatrixResult, Run):
    """The document of a matrix."""


class GridDocument(GridResult, Run):
    """The document of a grid."""


class PlacesDocument(PlacesResult, Run):
    """The document of an experiment with places."""


Document: TypeAlias = MatrixDocument | GridDocument | PlacesDocument


class StatefulBotsFound(Exception):
    """Bots were found to keep state, in games whose figures must not be used."""

    def __init__(self, bots: Iterable[int]) -> None:
        super().__init__()
        self.bots = frozenset(bots)


def do_nothing(_: object) -> None:
    """Does nothing, for callers that need not follow or show anything."""


def run(
    plan: Plan,
    bundles: Mapping[str, bytes],
    pool: WorkerPool,
    *,
    again: bool = True,
    follow: Follow = do_nothing,
    show: Show = do_nothing,
) -> Experiment:
    """Plays the plan. With `again` it begins anew whenever a bot is found to keep state. From then
    on, fresh processes play each of that bot's games.

    Raises SeatFault("platform"), and Unavailable if a process died.
    """

    def on_sitting(_: Sitting, record: bytes, results: Results) -> None:
        show(lambda: result_rows.current_figures(results.result()))

    def attempt(alone: frozenset[int] | None) -> Experiment:
        before = pool.finished_bouts
        follow(lambda: pool.finished_bouts - before)
        return play(plan, bundles, {}, pool, on_sitting, alone)

    return repeat_until_settled(attempt, again=again)


def play(
    plan: Plan,
    bundles: Mapping[str, bytes],
    memories: Mapping[str, bytes],
    pool: WorkerPool,
    on_sitting: Callable[[Sitting, bytes, Results], object],
    alone: frozenset[int] | None = None,
) -> Experiment:
    """Plays the plan once. `on_sitting` is called for every sitting in order, with its packed
    record and the results so far. Fresh processes play each game of the bots `alone`. None means
    that there are no such bots, and that the figures stand even if a bot keeps state.

    Raises SeatFault("platform"), StatefulBotsFound.
    """
    kind = kind_of(plan)
    jobs = list(sampled(kind.sittings(plan), alone))
    results = kind.results(plan)
    stateful: set[int] = set()
    started = time.monotonic()
    tasks = [task_of(job, bundles, memories) for job in jobs]
    with closing(pool.play(play_task, tasks)) as played:
        for job, done in zip(jobs, played, strict=True):
            stateful.update(done.stateful)
            check_state(stateful, alone)
            results.add(job, done.counts)
            on_sitting(job, done.record, results)
    seconds = time.monotonic() - started
    stateful_names = plan.names(sorted(stateful | (alone or set())))
    alone_names = plan.names(sorted(alone or ()))
    return Experiment(results, done.box, seconds, games_of(jobs), stateful_names, alone_names)


def check_state(stateful: Iterable[int], alone: frozenset[int] | None) -> None:
    """Raises StatefulBotsFound for these bots, unless `alone` is None: then the figures stand."""
    if stateful and alone is not None:
        raise StatefulBotsFound(stateful)


def repeat_until_settled(attempt: Callable[[frozenset[int] | None], T], *, again: bool) -> T:
    """The result of `attempt` once it finds no further bot that keeps state; without `again`, its
    first result. `attempt` is called with the bots whose games fresh processes play."""
    alone: frozenset[int] = frozenset()
    while True:
        try:
            return attempt(alone if again else None)
        except StatefulBotsFound as error:
            alone |= error.bots


def document_of(done: Experiment, workers: int) -> Document:
    """The JSON document that `simulate --json` prints."""
    document = {
        **done.results.result(),
        "stateful": list(done.stateful),
        "alone": list(done.alone),
        "box": done.box,
        "workers": workers,
        "seconds": round(done.seconds, 3),
        "games_per_second": round(done.games / done.seconds, 1),
    }
    return cast("Document", document)
