"""The speed of isolated play by the number of games, of bots and of cores, and with bots that
think.

Knows clocks and bomb's players; prints nothing. For games and bots, processor time counts, as in
`measure`; for cores wall time, since only that shows work side by side. All jobs are those into
which `matchbox simulate` divides an experiment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

from bench.contests import BOMB, THINKING, Thinker, duel
from bench.measure import timed
from cli.named_bots import NamedBot, shipped
from laboratory.sittings import Task, games_of, play_task
from laboratory.worker_pool import worker_pool
from matchbox import registry
from matchbox.game import fill_options
from matchbox.lab import matrix
from matchbox.lab.plan import Contestant, Plan, Sitting
from matchbox.settings import Settings, limits_of, read_settings
from worker.arena import cpu_affinity
from worker.arena.play import play_job

if TYPE_CHECKING:
    from sandbox.box import Box

MIN_GAMES: Final = 100
TIMES: Final = 10
"""The factor from one number of games to the next."""
FIELDS: Final = (2, 4, 8, 16)
TRIOS: Final = (1, 2)
PAIR: Final = ("scared", "medium")


@dataclass(frozen=True, slots=True)
class Grown:
    """One row: isolated play at one size beside the plain loop."""

    by: str
    """The quantity of the row: games, bots, cores, or cores with bots that think."""
    size: int
    games: int
    plain_us: float
    """Microseconds per game in the plain loop, on one core. In a row of cores, it is the mean over
    the cores that isolated play gets."""
    isolated_us: float
    """Microseconds per game in boxes at this size: processor time; in a row of cores, wall time."""
    ratio: float
    """The median of the ratios of all repeats."""


@dataclass(frozen=True, slots=True)
class _Play:
    """The same games twice: in the plain loop, and as jobs with their bundles."""

    loop: Callable[[], None]
    games: int
    jobs: Sequence[Sitting]
    bundles: Mapping[str, bytes]


def over_games(box: Box | None, most: int, repeats: int) -> list[Grown]:
    """From MIN_GAMES games to `most`, ten times as many at each step."""
    sizes = [MIN_GAMES]
    while sizes[-1] * TIMES <= most:
        sizes.append(sizes[-1] * TIMES)
    rows = []
    for size in sizes:
        found = _round_robin(PAIR, size)
        again = repeats if size * TIMES <= most or len(sizes) == 1 else 1
        rows.append(_grown("games", size, found, [_processor(found, box) for _ in range(again)]))
    return rows


def over_bots(box: Box | None, games: int, repeats: int) -> list[Grown]:
    """Round robins of 2 to 16 bots, with about as many games in all."""
    rows = []
    for size in FIELDS:
        names = [tuple(BOMB)[place % len(BOMB)] for place in range(size)]
        found = _round_robin(names, games)
        rows.append(_grown("bots", size, found, [_processor(found, box) for _ in range(repeats)]))
    return rows


def over_cores(kind: str, games: int, repeats: int, usable: Sequence[int]) -> list[Grown]:
    """One referee with its bots, then two side by side, each on a core of its own. No row needs
    more cores than there are."""
    return _over_cores("cores", kind, _round_robin(PAIR, games), repeats, usable)


def over_thinkers(kind: str, games: int, repeats: int, usable: Sequence[int]) -> list[Grown]:
    """Measures as `over_cores` does, with bots that think for about a millisecond at every turn."""
    bot = NamedBot("thinker", THINKING)
    loop = duel(Thinker, Thinker)
    plan = _plan([bot, bot], games)
    jobs = list(matrix.sittings(plan))
    found = _Play(lambda: loop(games_of(jobs)), games_of(jobs), jobs, {bot.version: bot.data})
    return _over_cores("cores, thinking", kind, found, repeats, usable)


def _over_cores(
    by: str, kind: str, found: _Play, repeats: int, usable: Sequence[int]
) -> list[Grown]:
    sizes = [size for size in TRIOS if size <= len(usable)]
    taken: dict[int, list[tuple[float, float]]] = {size: [] for size in sizes}
    with _on(usable):
        for _ in range(repeats):
            plain = []
            for core in reversed(usable[-sizes[-1] :]):  # The order in which a pool takes them.
                with _on([core]):
                    plain.append(timed(found.loop) / found.games)
            for size in sizes:
                taken[size].append((fmean(plain[:size]), _side_by_side(kind, size, found)))
    return [_grown(by, size, found, own, times=size) for size, own in taken.items()]


def _side_by_side(kind: str, size: int, found: _Play) -> float:
    """Seconds of wall time per game if `size` processes play the jobs at once."""
    tasks: list[Task] = [(found.bundles, {}, job) for job in found.jobs for _ in range(size)]
    with worker_pool(kind, size, read_settings(os.environ)) as pool:
        list(pool.play(play_task, tasks[:size]))  # After this, everything is warm.
        return timed(lambda: list(pool.play(play_task, tasks))) / (size * found.games)


def _processor(found: _Play, box: Box | None) -> tuple[float, float]:
    """Seconds of processor time per game: in the plain loop, then for referee and seats."""
    started = time.process_time()
    found.loop()
    plain = time.process_time() - started
    started, seats = time.process_time(), 0.0
    for sitting in found.jobs:
        played = play_job(sitting.job, found.bundles, box, rotations=sitting.rotations)
        seats += sum(played.cpu_ms) / 1000
    spent = time.process_time() - started + seats
    return plain / found.games, spent / found.games


def _grown(
    by: str, size: int, found: _Play, taken: Sequence[tuple[float, float]], times: int = 1
) -> Grown:
    return Grown(
        by=by,
        size=size,
        games=times * found.games,
        plain_us=1e6 * median([plain for plain, _ in taken]),
        isolated_us=1e6 * median([isolated for _, isolated in taken]),
        ratio=median([plain / isolated for plain, isolated in taken]),
    )


def _round_robin(names: Sequence[str], games: int) -> _Play:
    """Every pair of these bomb players in both orders, with about `games` games in all."""
    known = {bot.name: bot for bot in shipped("bomb")}
    pairs = len(names) * (len(names) - 1) // 2
    jobs = list(matrix.sittings(_plan([known[name] for name in names], games // pairs)))
    loops = [(duel(*(BOMB[names[bot]] for bot in job.bots)), job.games) for job in jobs]

    def loop() -> None:
        for play, own in loops:
            play(own)

    return _Play(loop, games_of(jobs), jobs, {bot.version: bot.data for bot in known.values()})


def _plan(bots: Sequence[NamedBot], games: int) -> Plan:
    spec = registry.game("bomb").spec
    return Plan(
        game="bomb",
        rules=spec.rules,
        bots=[Contestant(f"{bot.name}-{place}", bot.version) for place, bot in enumerate(bots)],
        games=max(1, games // 2),
        seed="bench",
        options=fill_options(spec, {}),
        limits=limits_of(Settings()),
    )


@contextmanager
def _on(usable: Sequence[int]) -> Iterator[None]:
    """Runs this process on all of these cores while the block runs; its pools choose among them."""
    before = cpu_affinity.usable_cores()
    if cpu_affinity.CAN_PIN:
        os.sched_setaffinity(0, usable)
    try:
        yield
    finally:
        if cpu_affinity.CAN_PIN:
            os.sched_setaffinity(0, before)
