"""Plays a plan's sittings, each in one process of a pool.

Knows what a process gets and returns. The code that plays a league's matches plays a sitting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import structs

from laboratory.worker_pool import report
from matchbox import registry
from matchbox.lab.counts import Counts, count
from matchbox.lab.plan import Sitting
from matchbox.match.wire import ALONE
from worker.arena.play import play_job

if TYPE_CHECKING:
    from matchbox.match.referee import Played
    from sandbox.box import Box

SAMPLE: Final = 4
"""This many bouts of every bot's first job are played again, each alone, and compared."""

Task: TypeAlias = tuple[Mapping[str, bytes], Mapping[str, bytes], Sitting]
"""A sitting with the bundles and memories that it needs, by their digests."""


@dataclass(frozen=True, slots=True)
class PlayedSitting:
    """A sitting that has been played."""

    box: str
    """The kind of box."""
    counts: Counts
    record: bytes
    """The packed record."""
    stateful: Sequence[int]
    """The plan's bots that were found to keep state between bouts."""


def games_of(sittings: Iterable[Sitting]) -> int:
    """The number of games in these sittings."""
    return sum(sitting.games for sitting in sittings)


def sampled(sittings: Iterable[Sitting], alone: Iterable[int] | None) -> Iterator[Sitting]:
    """The sittings with every game of the bots `alone` in a fresh process.

    The first sitting of every other bot asks for a sample.
    """
    seen: set[int] = set()
    for sitting in sittings:
        job = sitting.job
        if not set(alone or ()).isdisjoint(sitting.bots):
            job = structs.replace(job, width=ALONE)
        if job.width != ALONE and not seen.issuperset(sitting.bots):
            seen.update(sitting.bots)
            job = structs.replace(job, sample=SAMPLE)
        yield replace(sitting, job=job)


def task_of(sitting: Sitting, bundles: Mapping[str, bytes], memories: Mapping[str, bytes]) -> Task:
    """The sitting with the bundles and memories of its own bots, and no others."""
    seats = sitting.job.seats
    return (
        {seat.version: bundles[seat.version] for seat in seats},
        {seat.memory: memories[seat.memory] for seat in seats if seat.memory is not None},
        sitting,
    )


def play_task(box: Box | None, task: Task) -> PlayedSitting:
    """Plays the task in this box, or in this process for None."""
    bundles, memories, sitting = task
    return play_sitting(bundles, memories, box, sitting)


def play_sitting(
    bundles: Mapping[str, bytes], memories: Mapping[str, bytes], box: Box | None, sitting: Sitting
) -> PlayedSitting:
    """Plays the sitting in this box, or in this process for None."""
    counts: list[Counts] = []

    def count_played(played: Played) -> None:
        counts.append(count(registry.game(sitting.job.game), sitting, played.record, played.notes))

    done = play_job(
        sitting.job,
        bundles,
        box,
        report,
        rotations=sitting.rotations,
        memories=memories,
        look=count_played,
    )
    stateful = [sitting.bots[entrant] for entrant in done.stateful]
    return PlayedSitting(done.box, counts[0], done.record, stateful)
