"""What is measured: isolated play against the plain loop, and what isolation adds to a match.

Knows clocks and the shipped bots; prints nothing. Every figure is a median over
repeats, and in each repeat plain and isolated play follow each other, so that a machine that
is busy for a while disturbs both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from bench.contests import CONTESTS, Contest
from cli.shipped import NamedBot, shipped
from matchbox import registry
from matchbox.dice import derive_deals
from matchbox.game import fill_options
from matchbox.lab.plan import WIDTH
from matchbox.match.record import unpack
from matchbox.match.wire import Entrant, PlayMatch
from matchbox.settings import Settings, limits_of
from sandbox.policy import Limits
from worker.arena.play import play_job

if TYPE_CHECKING:
    from sandbox.box import Box

MATCH_DEALS: Final = 10
"""A match of 20 games: 10 deals, each seat once first."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast one table plays in a box."""

    game: str
    table: str
    """Who plays."""
    box: str
    games: int
    """Of every repeat."""
    plain: float
    """Games a second of the plain loop."""
    isolated: float
    """Games a second of the same table in the box."""
    ratio: float
    """The median of the repeats' own ratios."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one match of 20 games takes, with fresh forks and one game at a time."""

    box: str
    plain_ms: float
    match_ms: float
    added_ms: float


@dataclass(frozen=True, slots=True)
class Seats:
    """What the two seats of a match of two take in a warm box: made, walled, killed and buried."""

    box: str
    both_ms: float
    """The median."""
    quickest_ms: float
    """The least, which a busy machine disturbs least."""


def speeds(
    boxes: Sequence[tuple[str, Box | None]],
    games: int,
    repeats: int,
    contests: Sequence[Contest] = CONTESTS,
) -> list[Speed]:
    """Every table in every box."""
    return [speed for contest in contests for speed in _speeds(contest, boxes, games, repeats)]


def costs(boxes: Sequence[tuple[str, Box | None]], repeats: int) -> list[Cost]:
    """One match of 20 games in every box, and what it takes beyond the plain loop."""
    contest = next(one for one in CONTESTS if one.bots == ("scared", "medium"))
    bots = _bots(contest)
    job = _job(contest, bots, MATCH_DEALS, 1)
    loops, taken = [], [[] for _ in boxes]  # type: tuple[list[float], list[list[float]]]
    for _ in range(repeats):
        loops.append(_timed(lambda: contest.loop(2 * MATCH_DEALS)))
        for place, (_kind, box) in enumerate(boxes):
            taken[place].append(_timed(lambda box=box: _isolated(job, bots, box)))  # type: ignore[misc]
    base = 1000 * median(loops)
    return [
        Cost(kind, base, 1000 * median(own), 1000 * median(own) - base)
        for (kind, _), own in zip(boxes, taken, strict=True)
    ]


def seats(boxes: Sequence[tuple[str, Box | None]], repeats: int) -> list[Seats]:
    """Both seats of a match in every box that has seats, so many times."""
    real = {kind: box for kind, box in boxes if box is not None}
    taken: dict[str, list[float]] = {kind: [] for kind in real}
    for _ in range(repeats):
        for kind, box in real.items():
            taken[kind].append(1000 * _timed(lambda box=box: _both(box)))  # type: ignore[misc]
    return [Seats(kind, median(own), min(own)) for kind, own in taken.items()]


def _both(box: Box) -> None:
    limits = Limits(**limits_of(Settings()))
    for seat in [box.seat(limits) for _ in range(2)]:
        seat.close()


def _speeds(
    contest: Contest, boxes: Sequence[tuple[str, Box | None]], usual: int, repeats: int
) -> list[Speed]:
    """The table in every box, as medians; each repeat has the plain loop, then every box."""
    bots, games = _bots(contest), contest.games(usual)
    job = _job(contest, bots, games // len(bots), WIDTH)
    loops, taken = [], [[] for _ in boxes]  # type: tuple[list[float], list[list[float]]]
    for _ in range(repeats):
        loops.append(games / _timed(lambda: contest.loop(games)))
        for place, (_kind, box) in enumerate(boxes):
            taken[place].append(games / _timed(lambda box=box: _isolated(job, bots, box)))  # type: ignore[misc]
    return [
        Speed(
            game=contest.game,
            table=contest.name,
            box=kind,
            games=games,
            plain=median(loops),
            isolated=median(own),
            ratio=median([a / b for a, b in zip(own, loops, strict=True)]),
        )
        for (kind, _), own in zip(boxes, taken, strict=True)
    ]


def _bots(contest: Contest) -> list[NamedBot]:
    known = {bot.name: bot for bot in shipped(contest.game)}
    return [known[name] for name in contest.bots]


def _isolated(job: PlayMatch, bots: Sequence[NamedBot], box: Box | None) -> None:
    played = play_job(job, {bot.version: bot.data for bot in bots}, box)
    record = unpack(played.record)
    if any(bout.faults for bout in record.bouts):
        raise RuntimeError(f"a shipped bot was at fault: {played.notes[0]}")


def _timed(work: Callable[[], None]) -> float:
    """Seconds of wall time."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _job(contest: Contest, bots: Sequence[NamedBot], deals: int, width: int) -> PlayMatch:
    spec = registry.game(contest.game).spec
    return PlayMatch(
        attempt=1,
        token="",
        game=contest.game,
        limits=limits_of(Settings()),
        match="bench",
        rules=spec.rules,
        options=fill_options(spec, contest.options),
        deals=derive_deals("bench", deals),
        seats=[Entrant(bot.version) for bot in bots],
        width=width,
    )
