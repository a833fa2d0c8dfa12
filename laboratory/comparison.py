"""Plays a comparison of two bots in a pool of processes until it is decided."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from copy import deepcopy
from itertools import chain, islice, tee

from laboratory.experiment import check_state, do_nothing, repeat_until_settled
from laboratory.sittings import play_task, sampled, task_of
from laboratory.worker_pool import WorkerPool
from matchbox.lab.comparison import Comparison, Result
from matchbox.lab.plan import Plan


class Played(Result):
    """The result, and how it was played."""

    stateful: list[str]
    alone: list[str]
    box: str
    seconds: float
    games_per_second: float


class Compared(Played):
    """The document that `compare --json` prints."""

    workers: int
    """The number of processes."""


def run(
    comparison: Comparison,
    plan: Plan,
    bundles: Mapping[str, bytes],
    pool: WorkerPool,
    *,
    again: bool = True,
    show: Callable[[Comparison], object] = do_nothing,
) -> Played:
    """Plays the comparison, and begins again if a bot keeps state, as an experiment does.

    `show` is called with the results after every batch. Raises SeatFault("platform"), and
    Unavailable if a process died.
    """

    def attempt(alone: frozenset[int] | None) -> Played:
        return _play(deepcopy(comparison), plan, bundles, pool, show, alone)

    return repeat_until_settled(attempt, again=again)


def _play(
    comparison: Comparison,
    plan: Plan,
    bundles: Mapping[str, bytes],
    pool: WorkerPool,
    show: Callable[[Comparison], object],
    alone: frozenset[int] | None,
) -> Played:
    """Plays the comparison once; `alone` is as for `experiment.play`. Raises StatefulBotsFound."""
    batches, ahead = tee(comparison.batches())
    jobs = sampled(chain.from_iterable(ahead), alone)
    tasks = (task_of(job, bundles, {}) for job in jobs)
    started = time.monotonic()
    stateful: set[int] = set()
    with closing(pool.play(play_task, tasks)) as played:
        for batch in batches:
            done = list(islice(played, len(batch)))
            comparison.add((job, one.counts) for job, one in zip(batch, done, strict=True))
            stateful.update(bot for one in done for bot in one.stateful)
            check_state(stateful, alone)
            show(comparison)
            if comparison.over:
                break
    seconds = time.monotonic() - started
    return {
        **comparison.result(),
        "stateful": plan.names(sorted(stateful | (alone or set()))),
        "alone": plan.names(sorted(alone or ())),
        "box": done[0].box,
        "seconds": round(seconds, 3),
        "games_per_second": round(comparison.games / seconds, 1),
    }
