"""An experiment as the command line asks for it: its plan, and its jobs played by a crew.

Plays the plan of matchbox.lab through the very code that plays matches of a league.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from msgspec import structs

from cli import output
from cli.crew import Crew, crew, report
from cli.simulate import read_options
from matchbox import registry
from matchbox.errors import BadOption
from matchbox.game import check_seats, fill_options
from matchbox.lab import grid, matrix, places, tables
from matchbox.lab.counts import Counts, count
from matchbox.lab.plan import Contestant, Plan, Sitting
from matchbox.match.wire import ALONE
from matchbox.settings import WIDTH, limits_of, read_settings
from worker.arena.play import play_job

if TYPE_CHECKING:
    from cli.shipped import NamedBot
    from matchbox.game import Spec
    from matchbox.lab.comparison import Comparison
    from matchbox.match.referee import Played
    from sandbox.box import Box

SAMPLE: Final = 4
"""So many bouts of every bot's first job are played again, each alone, and compared."""

Found: TypeAlias = matrix.Matrix | grid.Grid | places.Places
Task: TypeAlias = tuple[Mapping[str, bytes], Mapping[str, bytes], Sitting]
"""Bundles and memories by their digests, and what is played with them."""
Begun = TypeVar("Begun")
_FOUND: Final = {matrix: matrix.Matrix, grid: grid.Grid, places: places.Places}


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for, in the words of the command line."""

    game: str
    bots: Sequence[NamedBot]
    games: int
    seed: str
    options: Sequence[str] = ()
    players: str = ""
    """Table sizes as "2-6" or "3,5"; empty for the game's usual ones."""
    mirror: bool = False
    mixed: bool = False
    width: int | None = None


@dataclass(frozen=True, slots=True)
class Experiment:
    """What was found, and what it took."""

    found: Found
    box: str
    seconds: float
    games: int
    """How many were played."""
    stateful: Sequence[str]
    """The bots that answer otherwise alone than among other bouts."""
    alone: Sequence[str] = ()
    """Those of them whose games were each played by a fresh process, once they were found."""


@dataclass(frozen=True, slots=True)
class Done:
    """A sitting played."""

    box: str
    """The kind of box."""
    counts: Counts
    record: bytes
    """Packed."""
    stateful: Sequence[int]
    """The plan's bots that were found to keep state between bouts."""


def make_plan(wish: Wish) -> Plan:
    """The experiment. Raises BadOption, UnknownGame."""
    spec = registry.game(wish.game).spec
    if not wish.bots:
        raise BadOption(f"nobody plays: name the bots that are to play {wish.game}")
    settings = read_settings(os.environ)
    plan = Plan(
        game=wish.game,
        rules=spec.rules,
        bots=[Contestant(bot.name, bot.version, bot.class_name) for bot in wish.bots],
        games=wish.games,
        seed=wish.seed,
        options=fill_options(spec, read_options(wish.options)),
        limits=limits_of(settings),
        match_deals=min(settings.match_deals, settings.fewest_deals),
        sizes=_sizes(spec, wish),
        mirror=wish.mirror,
        mixed=wish.mixed,
        width=WIDTH if wish.width is None else wish.width,
    )
    for size in plan.sizes:
        check_seats(spec, size)
    kind = kind_of(plan)
    if kind is matrix and len(plan.bots) < 2 and not plan.mirror:
        raise BadOption("one bot alone has nobody to play: name two or more, or add --mirror")
    if plan.mirror and kind is not matrix:
        raise BadOption(f"--mirror is for games of two seats; {plan.game} is played by tables")
    if plan.mixed and kind is not grid:
        raise BadOption(f"--mixed is for games played together; {plan.game} is none")
    return plan


def kind_of(plan: Plan) -> ModuleType:
    """Which of the laboratory's experiments the plan is."""
    spec = registry.game(plan.game).spec
    if spec.cooperative:
        return grid
    return matrix if spec.seats == (2,) else places


def read_players(text: str) -> list[int]:
    """Table sizes from a text such as "2-6" or "3,5", rising. Raises BadOption."""
    sizes: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            sizes.update(range(int(first), int(last if dash else first) + 1))
        except ValueError:
            sizes.clear()
        if not sizes:
            raise BadOption(f"--players {text} is no table size: write one as 3, or some as 2-6")
    return sorted(sizes)


def run(
    plan: Plan, bundles: Mapping[str, bytes], box: str, workers: int, *, again: bool = True
) -> Experiment:
    """The plan played. With `again` it is begun anew where a bot is found to keep state, whose
    games are then each played by a fresh process. Raises BoxUnavailable, SeatFault of the platform.
    """
    jobs = list(kind_of(plan).sittings(plan))
    with crew(box, min(workers, len(jobs))) as players, output.progress() as bar:
        task = bar.add_task(f"playing {plan.game}", total=games_of(jobs))

        def seen(_: Sitting, record: bytes, found: Found) -> None:
            bar.tell(lambda: tables.reached(found.result()))

        def begin(alone: frozenset[int] | None) -> Experiment:
            before = players.over
            bar.follow(task, lambda: players.over - before)
            return play(plan, bundles, {}, players, seen, alone)

        return _settled(begin, again=again)


def compare(
    asked: Comparison,
    plan: Plan,
    bundles: Mapping[str, bytes],
    box: str,
    workers: int,
    *,
    again: bool = True,
) -> dict[str, Any]:
    """The comparison played as far as it takes, begun anew as `run` does; what `compare --json`
    prints.

    Raises BoxUnavailable, SeatFault of the platform.
    """
    most = sum(len(look) for look in asked.batches())
    with crew(box, min(workers, most)) as players, output.progress() as bar:
        task = bar.add_task(f"comparing at {plan.game}", total=asked.most)

        def tell(fresh: Comparison) -> None:
            bar.update(task, completed=fresh.games, description=fresh.told_so_far())

        def begin(alone: frozenset[int] | None) -> dict[str, Any]:
            return _compare(deepcopy(asked), plan, bundles, players, tell, alone)

        return {**_settled(begin, again=again), "workers": workers}


def _compare(
    asked: Comparison,
    plan: Plan,
    bundles: Mapping[str, bytes],
    players: Crew,
    tell: Callable[[Comparison], None],
    alone: frozenset[int] | None,
) -> dict[str, Any]:
    """The comparison played; `alone` is as for `play`. Raises _KeepsState."""
    looks = list(asked.batches())
    jobs = list(_sampled([job for look in looks for job in look], alone))
    tasks = [task_of(job, bundles, {}) for job in jobs]
    started = time.monotonic()
    stateful: set[int] = set()
    with closing(players.play(_play_task, tasks)) as played:
        for look in looks:
            done = list(islice(played, len(look)))
            asked.add((job, one.counts) for job, one in zip(look, done, strict=True))
            stateful.update(bot for one in done for bot in one.stateful)
            _check(stateful, alone)
            tell(asked)
            if asked.over:
                break
    seconds = time.monotonic() - started
    return {
        **asked.result(),
        "stateful": plan.names(sorted(stateful | (alone or set()))),
        "alone": plan.names(sorted(alone or ())),
        "box": done[0].box,
        "seconds": round(seconds, 3),
        "games_per_second": round(asked.games / seconds, 1),
    }


def play(
    plan: Plan,
    bundles: Mapping[str, bytes],
    memories: Mapping[str, bytes],
    players: Crew,
    seen: Callable[[Sitting, bytes, Found], None],
    alone: frozenset[int] | None = None,
) -> Experiment:
    """The plan played by that crew; `seen` is handed every sitting and its packed record, in order,
    and what has been found so far. Every game of the bots `alone` is played by fresh processes;
    None is nobody, and the figures stand whoever is found to keep state.

    Raises SeatFault of the platform, _KeepsState.
    """
    kind = kind_of(plan)
    jobs = list(_sampled(kind.sittings(plan), alone))
    found: Found = _FOUND[kind](plan)
    stateful: set[int] = set()
    started = time.monotonic()
    tasks = [task_of(job, bundles, memories) for job in jobs]
    with closing(players.play(_play_task, tasks)) as played:
        for job, done in zip(jobs, played, strict=True):
            stateful.update(done.stateful)
            _check(stateful, alone)
            found.add(job, done.counts)
            seen(job, done.record, found)
    seconds = time.monotonic() - started
    told = plan.names(sorted(stateful | (alone or set())))
    apart = plan.names(sorted(alone or ()))
    return Experiment(found, done.box, seconds, games_of(jobs), told, apart)


class _KeepsState(Exception):
    """These bots were found to keep state, in games whose figures are not to stand."""

    def __init__(self, bots: Iterable[int]) -> None:
        super().__init__()
        self.bots = frozenset(bots)


def _check(stateful: Iterable[int], alone: frozenset[int] | None) -> None:
    if stateful and alone is not None:
        raise _KeepsState(stateful)


def _settled(begin: Callable[[frozenset[int] | None], Begun], *, again: bool) -> Begun:
    """What comes of it when nobody else is found to keep state; at once, where not `again`."""
    alone: frozenset[int] = frozenset()
    while True:
        try:
            return begin(alone if again else None)
        except _KeepsState as found:
            alone |= found.bots


def _sampled(sittings: Iterable[Sitting], alone: Iterable[int] | None) -> Iterator[Sitting]:
    """The sittings, each game of those bots alone; a bot's first other one asks for a sample."""
    seen: set[int] = set()
    for sitting in sittings:
        job = sitting.job
        if not set(alone or ()).isdisjoint(sitting.who):
            job = structs.replace(job, width=ALONE)
        if job.width != ALONE and not seen.issuperset(sitting.who):
            seen.update(sitting.who)
            job = structs.replace(job, sample=SAMPLE)
        yield replace(sitting, job=job)


def games_of(jobs: Iterable[Sitting]) -> int:
    """How many games these are."""
    return sum(job.games for job in jobs)


def task_of(sitting: Sitting, bundles: Mapping[str, bytes], memories: Mapping[str, bytes]) -> Task:
    """The sitting as it is handed to a process: with what its own bots need, and no others."""
    seats = sitting.job.seats
    return (
        {seat.version: bundles[seat.version] for seat in seats},
        {seat.memory: memories[seat.memory] for seat in seats if seat.memory is not None},
        sitting,
    )


def _play_task(box: Box | None, task: Task) -> Done:
    bundles, memories, sitting = task
    return play_sitting(bundles, memories, box, sitting)


def play_sitting(
    bundles: Mapping[str, bytes], memories: Mapping[str, bytes], box: Box | None, sitting: Sitting
) -> Done:
    """The sitting played."""
    counts: list[Counts] = []

    def look(played: Played) -> None:
        counts.append(count(registry.game(sitting.job.game), sitting, played.record, played.notes))

    done = play_job(
        sitting.job, bundles, box, report, rotations=sitting.rotations, memories=memories, look=look
    )
    stateful = [sitting.who[entrant] for entrant in done.stateful]
    return Done(done.box, counts[0], done.record, stateful)


def document_of(done: Experiment, workers: int) -> dict[str, Any]:
    """What `simulate --json` prints."""
    return {
        **done.found.result(),
        "stateful": list(done.stateful),
        "alone": list(done.alone),
        "box": done.box,
        "workers": workers,
        "seconds": round(done.seconds, 3),
        "games_per_second": round(done.games / done.seconds, 1),
    }


def _sizes(spec: Spec, wish: Wish) -> list[int]:
    """The table sizes asked for; else all of a game played together, or a seat for every bot."""
    if wish.players:
        return read_players(wish.players)
    if spec.cooperative:
        return list(spec.seats)
    return [2] if spec.seats == (2,) else [max(len(wish.bots), spec.seats[0])]
