"""What an experiment is: its bots, its games, and the jobs that they are cut into.

Knows jobs; plays nothing. Which bots meet is said by the kinds of experiment: matrix, grid and
places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from matchbox.dice import derive_deals
from matchbox.match.wire import Entrant, PlayMatch

BATCH: Final = 250
"""Deals of one job. It is part of the experiment: another one seeds imports differently."""

WIDTH: Final = 125
"""Bouts in flight at once in a seat."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot of the experiment."""

    name: str
    """Its name in the table, different from all others."""
    version: str
    class_name: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """An experiment."""

    game: str
    rules: str
    bots: Sequence[Contestant]
    games: int
    """For each ordered pair, each table size, or each cell of a grid."""
    seed: str
    options: Mapping[str, str | int | bool] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    sizes: Sequence[int] = (2,)
    """The table sizes to play at."""
    mirror: bool = False
    """In a matrix: every bot also plays against itself."""
    mixed: bool = False
    """In a grid: the bots sit at one table, instead of each filling tables of its own."""

    def names(self, who: Sequence[int]) -> list[str]:
        """The names of these bots."""
        return [self.bots[bot].name for bot in who]


@dataclass(frozen=True, slots=True)
class Batch:
    """One job of a plan: some deals at one table."""

    who: tuple[int, ...]
    """The plan's bot of each entrant."""
    job: PlayMatch
    rotations: tuple[int, ...]


def batches_of(
    plan: Plan, who: Sequence[int], deals: Sequence[str], rotations: Sequence[int]
) -> Iterator[Batch]:
    """The jobs in which these bots play every deal in these rotations."""
    for start in range(0, len(deals), BATCH):
        job = _job(plan, who, deals[start : start + BATCH])
        yield Batch(tuple(who), job, tuple(rotations))


def rotated(plan: Plan, who: Sequence[int], games: int, start: int = 0) -> Iterator[Batch]:
    """The jobs in which these bots play exactly so many games, each seat equally often; the first
    deal is the plan's number `start`.

    Where some rotations look alike because a bot sits there more than once, a deal is played in
    those only that differ, and the next deal goes on with the next rotations: the same bots on
    the same deal would play the same game again.
    """
    period = _period([(plan.bots[bot].version, plan.bots[bot].class_name) for bot in who])
    turns = len(who) // period
    whole, rest = divmod(games, period)
    deals = derive_deals(plan.seed, whole + (rest > 0), start=start)
    for turn in range(turns):
        rotations = range(turn * period, (turn + 1) * period)
        yield from batches_of(plan, who, deals[turn:whole:turns], rotations)
        if rest and whole % turns == turn:
            yield from batches_of(plan, who, deals[whole:], rotations[:rest])


def _period(entrants: Sequence[object]) -> int:
    """After so many places round the table the same bots follow again."""
    seats = len(entrants)
    fitting = (n for n in range(1, seats + 1) if seats % n == 0)
    return next(n for n in fitting if [*entrants[n:], *entrants[:n]] == list(entrants))


def _job(plan: Plan, who: Sequence[int], deals: Sequence[str]) -> PlayMatch:
    chosen = [plan.bots[bot] for bot in who]
    name = "/".join([plan.seed, *(bot.version for bot in chosen)])
    return PlayMatch(
        attempt=1,
        token="",
        game=plan.game,
        limits=dict(plan.limits),
        match=blake2b(name.encode(), digest_size=16).hexdigest(),
        rules=plan.rules,
        options=dict(plan.options),
        deals=list(deals),
        seats=[Entrant(bot.version, bot.class_name) for bot in chosen],
        width=WIDTH,
    )
