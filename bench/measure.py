"""The measurements: isolated play against the plain loop, and the cost of isolation for a match.

Knows clocks and the shipped bots; prints nothing. Every figure is a median over repeats. In each
repeat, plain and isolated play follow each other, so a machine that is busy for a while disturbs
both. Speeds are measured in processor time of the referee and all seats together, which other
processes on the core do not change.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from bench.booked_match import booked_match
from bench.contests import CONTESTS, Contest, bots_of, job_of
from matchbox import registry
from matchbox.match.referee import play
from matchbox.match.wire import MatchPlayed, PlayMatch
from matchbox.settings import Settings, limits_of
from matchbox.settings_of_play import WIDTH
from sandbox.policy import Limits
from worker.arena.boxes import open_named
from worker.arena.match_seats import MatchSeats
from worker.arena.play import play_job

if TYPE_CHECKING:
    from cli.named_bots import NamedBot
    from matchbox.match.seat import Seat
    from sandbox.box import Box

MATCH_DEALS: Final = 10
"""A match of 20 games: 10 deals, each seat once first."""
PAIR: Final = next(one for one in CONTESTS if one.bots == ("scared", "medium"))
"""The table of bomb on which the costs of a match, of seats and of one game are measured."""
LONG: Final = 5
"""The long match has this many times `--games` games: 10,000 unless another number is asked for."""
LONG_REPEATS: Final = 3
"""The most runs that its median is over."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast one table plays in a box."""

    game: str
    table: str
    """The players."""
    box: str
    games: int
    """The number of games in each repeat."""
    plain_us: float
    """Microseconds per game in the plain loop."""
    referee_us: float
    """Microseconds per game of the referee in the box; without a box, of everything."""
    seats_us: float
    """Microseconds per game of the seats, including the bots."""
    ratio: float
    """The median of the ratios of all repeats."""
    bytes: float
    """Bytes per game of the stored record."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The time of one match of 20 games, with fresh forks and one game at a time."""

    box: str
    plain_ms: float
    match_ms: float
    added_ms: float


@dataclass(frozen=True, slots=True)
class Memory:
    """The most private memory of a seat with a bomb player, and of its referee's arena, in MiB."""

    box: str
    seat_mib: float
    """In a seat with one bout at a time."""
    busy_mib: float
    """In a seat with the laboratory's number of bouts at a time."""
    worker_mib: float
    """In the arena, with the laboratory's number of bouts at a time."""


@dataclass(frozen=True, slots=True)
class Seats:
    """The time to make, wall, kill and reap both seats of a match of two in a warm box."""

    box: str
    both_ms: float
    """The median."""
    quickest_ms: float
    """The minimum, which a busy machine disturbs least."""
    games: float
    """The median number of games of bomb that the plain loop plays in this time."""


@dataclass(frozen=True, slots=True)
class Long:
    """The wall time of a match of many games of one pair."""

    box: str
    games: int
    played_s: float
    """From the job to its record."""
    booked_s: float
    """From the match's place in the queue to its result and rating in the database."""


@dataclass(frozen=True, slots=True)
class Lone:
    """The wall time of one game of bomb by itself, from the job to its outcome."""

    box: str
    seated_ms: float
    """In seats that have played before."""
    forked_ms: float
    """With a fresh process for each bot, in a warm box."""
    opened_ms: float
    """In a box that is opened for it and closed again."""


def speeds(
    boxes: Sequence[tuple[str, Box | None]], games: int, repeats: int, contests: Sequence[Contest]
) -> list[Speed]:
    """Every table in every box."""
    return [speed for contest in contests for speed in _speeds(contest, boxes, games, repeats)]


def costs(boxes: Sequence[tuple[str, Box | None]], repeats: int) -> list[Cost]:
    """One match of 20 games in every box, and its time beyond the plain loop's."""
    bots = bots_of(PAIR)
    job = job_of(PAIR, bots, MATCH_DEALS, 1)
    loops, taken = [], [[] for _ in boxes]  # type: tuple[list[float], list[list[float]]]
    for _ in range(repeats):
        loops.append(timed(lambda: PAIR.loop(2 * MATCH_DEALS)))
        for place, (_kind, box) in enumerate(boxes):
            taken[place].append(timed(lambda box=box: _isolated(job, bots, box)))  # type: ignore[misc]
    base = 1000 * median(loops)
    return [
        Cost(kind, base, 1000 * median(own), 1000 * median(own) - base)
        for (kind, _), own in zip(boxes, taken, strict=True)
    ]


def seats(boxes: Sequence[tuple[str, Box | None]], repeats: int) -> list[Seats]:
    """Both seats of a match, `repeats` times in every box that has seats."""
    real = {kind: box for kind, box in boxes if box is not None}
    taken: dict[str, list[float]] = {kind: [] for kind in real}
    loops = []
    for _ in range(repeats):
        loops.append(timed(lambda: PAIR.loop(2 * MATCH_DEALS)) / (2 * MATCH_DEALS))
        for kind, box in real.items():
            taken[kind].append(timed(lambda box=box: _both(box)))  # type: ignore[misc]
    return [
        Seats(
            kind,
            both_ms=1000 * median(own),
            quickest_ms=1000 * min(own),
            games=median([both / game for both, game in zip(own, loops, strict=True)]),
        )
        for kind, own in taken.items()
    ]


def lone(boxes: Sequence[tuple[str, Box | None]], repeats: int) -> list[Lone]:
    """One game by itself in every box that has seats."""
    bots = bots_of(PAIR)
    job, bundles = job_of(PAIR, bots, 1, 1), {bot.version: bot.data for bot in bots}
    found = []
    for kind, box in boxes:
        if box is None:
            continue
        forked = [timed(lambda box=box: _first(job, bundles, box)) for _ in range(repeats)]  # type: ignore[misc]
        opened = [timed(lambda kind=kind: _opened(job, bundles, kind)) for _ in range(3)]  # type: ignore[misc]
        table = MatchSeats(job, bundles, box)
        staying = [_Staying(table.open_player(seat, 0)) for seat in range(len(bots))]
        _again(job, staying)  # The bots are loaded with their first question.
        seated = [timed(lambda own=staying: _again(job, own)) for _ in range(10 * repeats)]  # type: ignore[misc]
        for one in staying:
            one.seat.close()
        found.append(Lone(kind, *(1000 * median(own) for own in (seated, forked, opened))))
    return found


def memory(boxes: Sequence[tuple[str, Box | None]]) -> list[Memory]:
    """The memory in every box whose seats this account may inspect, each in an arena of its own."""
    found = []
    for kind, box in boxes:
        if box is not None:
            done = subprocess.run(
                [sys.executable, "-m", "bench.arena", kind], stdout=subprocess.PIPE, check=True
            )
            held = Memory(kind, **json.loads(done.stdout))
            found += [held] if held.seat_mib else []
    return found


def long_matches(boxes: Sequence[tuple[str, Box | None]], games: int, repeats: int) -> list[Long]:
    """LONG times as many games of one pair in every box; medians over the repeats."""
    contest = next(one for one in CONTESTS if one.game == "bomb")
    bots = bots_of(contest)
    deals = LONG * games // len(bots)
    job = job_of(contest, bots, deals, WIDTH)
    found = []
    for kind, box in boxes:
        played, booked = [], []
        for _ in range(min(LONG_REPEATS, repeats)):
            played.append(timed(lambda box=box: _isolated(job, bots, box)))  # type: ignore[misc]
            booked.append(booked_match(contest.game, bots, deals, box))
        found.append(Long(kind, deals * len(bots), median(played), median(booked)))
    return found


class _Staying:
    """A seat that survives the end of its match."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.answer = seat.answer
        self.end = seat.end
        self.renew = seat.renew

    def close(self) -> None:
        """Does nothing: the seat will play again."""


def _again(job: PlayMatch, staying: Sequence[_Staying]) -> None:
    """Plays the job's bouts in their first rotation, in these seats."""
    play(registry.game(job.game), job, lambda seat, rotation: staying[seat], rotations=[0])


def _first(job: PlayMatch, bundles: Mapping[str, bytes], box: Box) -> None:
    """Plays the job's bouts in their first rotation."""
    play_job(job, bundles, box, rotations=[0])


def _opened(job: PlayMatch, bundles: Mapping[str, bytes], kind: str) -> None:
    """Plays the same bouts in a box that is opened for them."""
    box = open_named(kind)
    assert box is not None
    with box:
        _first(job, bundles, box)


def _both(box: Box) -> None:
    limits = Limits(**limits_of(Settings()))
    for seat in [box.seat(limits) for _ in range(2)]:
        seat.close()


def _speeds(
    contest: Contest, boxes: Sequence[tuple[str, Box | None]], usual: int, repeats: int
) -> list[Speed]:
    """The table in every box, as medians. Each repeat runs the plain loop, then every box."""
    bots, games = bots_of(contest), contest.games(usual)
    job = job_of(contest, bots, games // len(bots), WIDTH)
    loops: list[float] = []
    taken: dict[str, list[tuple[float, float]]] = {kind: [] for kind, _ in boxes}
    for _ in range(repeats):
        started = time.process_time()
        contest.loop(games)
        loops.append(time.process_time() - started)
        for kind, box in boxes:
            started = time.process_time()
            played = _isolated(job, bots, box)
            spent = time.process_time() - started, sum(played.cpu_ms) / 1000
            taken[kind].append(spent)
    return [
        Speed(
            game=contest.game,
            table=contest.name,
            box=kind,
            games=games,
            plain_us=1e6 * median(loops) / games,
            referee_us=1e6 * median([referee for referee, _ in own]) / games,
            seats_us=1e6 * median([seats for _, seats in own]) / games,
            ratio=median([loop / sum(both) for loop, both in zip(loops, own, strict=True)]),
            bytes=len(played.record) / games,
        )
        for kind, own in taken.items()
    ]


def _isolated(job: PlayMatch, bots: Sequence[NamedBot], box: Box | None) -> MatchPlayed:
    played = play_job(job, {bot.version: bot.data for bot in bots}, box)
    if played.notes:
        raise RuntimeError(f"a shipped bot was at fault: {played.notes[0]}")
    return played


def timed(work: Callable[[], object]) -> float:
    """Runs the work; returns the seconds of wall time."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
