"""What is measured: isolated play against the plain loop, and what isolation adds to a match.

Knows clocks and the three shipped bomb players; prints nothing. Every figure is a median over
repeats, and in each repeat plain and isolated play follow each other, so that a machine that
is busy for a while disturbs both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Final

from bench.plain import bomb as plain
from cli.shipped import NamedBot, shipped
from matchbox import registry
from matchbox.dice import derive_deals
from matchbox.lab.plan import WIDTH
from matchbox.match.record import unpack
from matchbox.match.wire import Entrant, PlayMatch
from matchbox.settings import Settings, limits_of
from worker.arena.play import play_job

if TYPE_CHECKING:
    from sandbox.box import Box

GAME: Final = "bomb"
PLAYERS: Final = {
    "simple": plain.SimplePlayer,
    "scared": plain.ScaredPlayer,
    "medium": plain.MediumPlayer,
}
MATCH_DEALS: Final = 10
"""A match of 20 games: 10 deals, each seat once first."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast one pair plays in a box."""

    pair: str
    box: str
    plain: float
    """Games a second of the plain loop."""
    isolated: float
    """Games a second of the same pair in the box."""
    matches: float
    """Matches of 20 games a second at that speed."""
    ratio: float
    """The median of the repeats' own ratios."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one match of 20 games takes, with fresh forks and one game at a time."""

    box: str
    plain_ms: float
    match_ms: float
    added_ms: float


def speeds(boxes: Sequence[tuple[str, Box | None]], games: int, repeats: int) -> list[Speed]:
    """Every pair of shipped bots in every box."""
    bots = {bot.name: bot for bot in shipped(GAME) if bot.name in PLAYERS}
    found = []
    for first, second in combinations(PLAYERS, 2):
        pair = (bots[first], bots[second])
        job = _job(pair, games // 2, WIDTH)
        rounds = [_round(job, pair, boxes, games) for _ in range(repeats)]
        for place, (kind, _) in enumerate(boxes):
            loop, own = ([one[0] for one in rounds], [one[1][place] for one in rounds])
            ratios = [a / b for a, b in zip(own, loop, strict=True)]
            speed = median(own)
            found.append(
                Speed(
                    pair=f"{first} v {second}",
                    box=kind,
                    plain=median(loop),
                    isolated=speed,
                    matches=speed / (2 * MATCH_DEALS),
                    ratio=median(ratios),
                )
            )
    return found


def costs(boxes: Sequence[tuple[str, Box | None]], repeats: int) -> list[Cost]:
    """One match of 20 games in every box, and what it takes beyond the plain loop."""
    bots = {bot.name: bot for bot in shipped(GAME)}
    pair = (bots["scared"], bots["medium"])
    job = _job(pair, MATCH_DEALS, 1)
    loops, taken = [], [[] for _ in boxes]  # type: tuple[list[float], list[list[float]]]
    for _ in range(repeats):
        loops.append(_timed(lambda: _plain(pair, 2 * MATCH_DEALS)))
        for place, (_kind, box) in enumerate(boxes):
            taken[place].append(_timed(lambda box=box: _isolated(job, pair, box)))  # type: ignore[misc]
    base = 1000 * median(loops)
    return [
        Cost(kind, base, 1000 * median(own), 1000 * median(own) - base)
        for (kind, _), own in zip(boxes, taken, strict=True)
    ]


def _round(
    job: PlayMatch,
    pair: tuple[NamedBot, NamedBot],
    boxes: Sequence[tuple[str, Box | None]],
    games: int,
) -> tuple[float, list[float]]:
    """Games a second of the plain loop, and of each box right after it."""
    played = 2 * (games // 2)
    loop = played / _timed(lambda: _plain(pair, played))
    return loop, [played / _timed(lambda box=box: _isolated(job, pair, box)) for _, box in boxes]  # type: ignore[misc]


def _plain(pair: tuple[NamedBot, NamedBot], games: int) -> None:
    first, second = (PLAYERS[bot.name] for bot in pair)
    random.seed(games)
    for number in range(games):
        one, two = (first, second) if number % 2 == 0 else (second, first)
        plain.play_game(one(), two(), print_details=False)


def _isolated(job: PlayMatch, pair: tuple[NamedBot, NamedBot], box: Box | None) -> None:
    played = play_job(job, {bot.version: bot.data for bot in pair}, box)
    record = unpack(played.record)
    if any(bout.faults for bout in record.bouts):
        raise RuntimeError(f"a shipped bot was at fault: {played.notes[0]}")


def _timed(work: Callable[[], None]) -> float:
    """Seconds of wall time."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _job(pair: tuple[NamedBot, NamedBot], deals: int, width: int) -> PlayMatch:
    return PlayMatch(
        attempt=1,
        token="",
        game=GAME,
        limits=limits_of(Settings()),
        match="bench",
        rules=registry.game(GAME).spec.rules,
        options={},
        deals=derive_deals("bench", deals),
        seats=[Entrant(bot.version) for bot in pair],
        width=width,
    )
