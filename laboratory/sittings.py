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
from matchbox.lab.counts import Counts, FaultKey, count
from matchbox.lab.plan import Sitting
from matchbox.match.wire import ALONE
from worker.arena.play import play_job
from worker.arena.verdict_messages import fault_place

if TYPE_CHECKING:
    from matchbox.match.referee import Played
    from matchbox.match.wire import MatchPlayed
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
        job = sitting.blank
        if not set(alone or ()).isdisjoint(sitting.bots):
            job = structs.replace(job, width=ALONE)
        if job.width != ALONE and not seen.issuperset(sitting.bots):
            seen.update(sitting.bots)
            job = structs.replace(job, sample=SAMPLE)
        yield replace(sitting, blank=job)


def task_of(sitting: Sitting, bundles: Mapping[str, bytes], memories: Mapping[str, bytes]) -> Task:
    """The sitting with the bundles and memories of its own bots, and no others."""
    seats = sitting.blank.seats
    return (
        {seat.version: bundles[seat.version] for seat in seats},
        {seat.memory: memories[seat.memory] for seat in seats if seat.memory is not None},
        sitting,
    )


def play_task(box: Box | None, task: Task) -> PlayedSitting:
    """Plays the task in this box, or in this process for None."""
    bundles, memories, sitting = task
    counts: list[Counts] = []

    def count_played(played: Played) -> None:
        counts.append(
            count(registry.game(sitting.blank.game), sitting, played.record, played.notes)
        )

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
    found = structs.replace(counts[0], places=_fault_places(sitting, done))
    return PlayedSitting(done.box, found, done.record, stateful)


def _fault_places(sitting: Sitting, done: MatchPlayed) -> dict[FaultKey, str]:
    """The place of the first fault of each kind for which the bots' output names one.

    The output of its own bout is searched, or that of the whole job if no bout has a traceback: so
    it is if a bot cannot be loaded.
    """
    printed: dict[tuple[int, int, int], str] = {}
    for part in done.printed:
        if part.traceback:
            bout = part.entrant, part.deal, part.rotation
            printed[bout] = printed.get(bout, "") + part.text
    in_bouts = {entrant for entrant, _, _ in printed}
    places: dict[FaultKey, str] = {}
    for note in done.notes:
        own = printed.get((note.entrant, note.deal, note.rotation), "")
        log = own if note.entrant in in_bouts else done.logs[note.entrant]
        if place := fault_place(note.kind, log):
            places.setdefault((sitting.bots[note.entrant], note.kind, note.detail), place)
    return places
