"""The plan of an experiment: its bots, its games, and the jobs that they are cut into.

Knows jobs; plays nothing. The modules of the kinds of experiment (matrix, grid and places) decide
which bots meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from hashlib import blake2b
from itertools import combinations, zip_longest
from math import comb
from typing import Final, TypedDict, overload

from msgspec import structs

from matchbox.dice import SeededDice, derive_deals
from matchbox.league.pairing import berger
from matchbox.league.seating import rounds_at, seatings
from matchbox.match.wire import Entrant, PlayMatch
from matchbox.settings_of_play import WIDTH

FIRST_DEALS: Final = 50
"""Deals in the first job: few, so that slow bots also show figures soon."""
MIN_DEALS: Final = 250
"""Deals in the first two jobs together."""
MAX_DEALS: Final = 2000
"""The most deals in a job. Each job after the second has as many as all before it: 50, 200, 250,
500, 1,000, 2,000, 2,000 and so on. So figures come soon and forks cost little. Other sizes would
change the experiment, because they seed imports differently."""
MAX_BOUTS: Final = 2 * MAX_DEALS
"""The most bouts in a job, which holds them all in memory: a deal at a table of six makes six."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot of the experiment."""

    name: str
    """Its name in the table, different from all others."""
    version: str
    class_name: str | None = None
    memory: str | None = None
    """The digest of its memory, or None."""


class Parameters(TypedDict):
    """The parameters of an experiment, with which every result begins."""

    game: str
    seed: str
    games: int
    """As in `Plan`."""
    options: dict[str, str | int | bool]
    bots: list[str]
    """The names, in the plan's order."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An experiment."""

    game: str
    rules: str
    bots: Sequence[Contestant]
    games: int
    """The number of bouts for each ordered pair, each table size, or each cell of a grid."""
    seed: str
    options: Mapping[str, str | int | bool] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    match_deals: int = 0
    """How many deals a match with these limits has. A larger job gets proportionally more time. 0:
    the limits fit a job of any length."""
    sizes: Sequence[int] = (2,)
    """The table sizes to play at."""
    mirror: bool = False
    """In a matrix: whether every bot also plays against itself."""
    mixed: bool = False
    """In a grid: whether the bots sit together, instead of each filling tables of its own."""
    width: int = WIDTH
    """How many bouts a seat plays concurrently."""

    def names(self, bots: Sequence[int]) -> list[str]:
        """The names of these bots."""
        return [self.bots[bot].name for bot in bots]

    def parameters(self) -> Parameters:
        """The parameters of the experiment."""
        return {
            "game": self.game,
            "seed": self.seed,
            "games": self.games,
            "options": dict(self.options),
            "bots": self.names(range(len(self.bots))),
        }


class Deals(Sequence[str]):
    """Deals as `derive_deals` gives them, each derived when it is asked for."""

    def __init__(self, seed: str, numbers: range) -> None:
        self._seed = seed
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, wanted: int) -> str: ...

    @overload
    def __getitem__(self, wanted: slice) -> Deals: ...

    def __getitem__(self, wanted: int | slice) -> str | Deals:
        if isinstance(wanted, slice):
            return Deals(self._seed, self._numbers[wanted])
        return derive_deals(self._seed, 1, start=self._numbers[wanted])[0]


@dataclass(frozen=True, slots=True)
class Sitting:
    """One job of a plan: some deals at one table."""

    bots: tuple[int, ...]
    """The bot of each entrant, by number in the plan."""
    blank: PlayMatch
    """The job without its deals: so a plan of millions of games takes little memory."""
    deals: Sequence[str]
    rotations: tuple[int, ...]

    @property
    def job(self) -> PlayMatch:
        """The job with its deals."""
        return structs.replace(self.blank, deals=list(self.deals))

    @property
    def games(self) -> int:
        """How many bouts the job has."""
        return len(self.rotations) * len(self.deals)


def sittings_of(
    plan: Plan, bots: Sequence[int], deals: Sequence[str], rotations: Sequence[int]
) -> Iterator[Sitting]:
    """The jobs in which these bots play every deal in these rotations."""
    start, most = 0, min(MAX_DEALS, MAX_BOUTS // len(rotations))
    while start < len(deals):
        end = min(max(2 * start, MIN_DEALS), start + most) if start else FIRST_DEALS
        own = deals[start:end]
        yield Sitting(tuple(bots), _blank(plan, bots, len(own)), own, tuple(rotations))
        start = end


def interleave(parts: Iterable[Iterable[Sitting]]) -> Iterator[Sitting]:
    """Merges the parts: the first job of each, then the second of each, and so on.

    Smaller jobs come last, so that processes that play side by side end at about the same time.
    """
    jobs = [job for jobs in zip_longest(*parts) for job in jobs if job is not None]
    left = sum(job.games for job in jobs)
    for job in jobs:
        yield from _split(job, left)
        left -= job.games


def _split(sitting: Sitting, left: int) -> Iterator[Sitting]:
    """Cuts the sitting into parts; each has at most half of the games left, or few deals."""
    deals, each = sitting.deals, len(sitting.rotations)
    while deals:
        half = -(-left // (2 * each))
        own = deals[: half if half >= MIN_DEALS else MAX_DEALS]
        yield replace(sitting, deals=own)
        deals = deals[len(own) :]
        left -= each * len(own)


def tables(plan: Plan, size: int) -> Iterator[Sitting]:
    """The jobs of the plan's games at tables of that size. Every bot is seated equally often if the
    number of games allows it.

    Every line-up has its own deals: if a file is listed twice, two line-ups may be alike.
    """
    chosen = line_ups(plan, size)
    start = 0
    for number, bots in enumerate(chosen):
        games = plan.games // len(chosen) + (number < plan.games % len(chosen))
        yield from rotated(plan, bots, games, start)
        start += games


def line_ups(plan: Plan, size: int) -> Sequence[Sequence[int]]:
    """The bots at each table, by number.

    With fewer than two bots for each seat, they follow each other in the order of the list: there
    is one line-up if their number divides `size`, else one that begins at each bot. Of more bots,
    every two meet at a table of two, in the rounds of a Berger table. Larger tables are seated as
    in a season, by the plan's seed, until all have met about twice, or the games do not suffice
    for more rounds.
    """
    bots = len(plan.bots)
    if size == 1 or bots < 2 * size:
        starts = range(bots if size % bots else 1)
        return [[(start + seat) % bots for seat in range(size)] for start in starts]
    if size == 2:
        return [pair for pairs in berger(bots) for pair in pairs]
    return _seated(bots, size, plan.seed, plan.games)


def strangers(plan: Plan, size: int) -> int:
    """How many pairs of bots never meet at tables of that size."""
    played = [set(bots) for bots in line_ups(plan, size)[: plan.games]]
    met = {pair for bots in played for pair in combinations(sorted(bots), 2)}
    return comb(len(plan.bots), 2) - len(met)


@cache
def _seated(bots: int, size: int, seed: str, games: int) -> list[list[int]]:
    key = blake2b(f"tables of {size}:{seed}".encode(), digest_size=16).digest()
    rounds = seatings([*map(str, range(bots))], size, partial(SeededDice, key))
    found: list[list[int]] = []
    apart = set(combinations(range(bots), 2))
    for number, seated in enumerate(rounds, 1):
        tables = [[*map(int, one.seats)] for one in seated]
        found += tables
        for table in tables:
            apart.difference_update(combinations(sorted(table), 2))
        whole = number >= rounds_at(bots, size) and not apart
        if whole or (len(found) + len(tables)) * size > games:
            break
    return found


def rotated(plan: Plan, bots: Sequence[int], games: int, start: int = 0) -> Iterator[Sitting]:
    """The jobs in which these bots play exactly `games` games, all seats equally often.

    `start` is the number of the first deal. If a bot holds several seats, some rotations are equal.
    Then a deal is played only in rotations that differ, and the next deal continues with the next
    rotations: the same bots on the same deal would only repeat their game, unless they draw lots.
    """
    period = _period([_entrant(plan.bots[bot]) for bot in bots])
    turns = len(bots) // period
    whole, rest = divmod(games, period)
    deals = Deals(plan.seed, range(start, start + whole + (rest > 0)))
    for turn in range(turns):
        rotations = range(turn * period, (turn + 1) * period)
        yield from sittings_of(plan, bots, deals[turn:whole:turns], rotations)
        if rest and whole % turns == turn:
            yield from sittings_of(plan, bots, deals[whole:], rotations[:rest])


def _period(entrants: Sequence[object]) -> int:
    """The least number of places by which the table can be turned without a change."""
    seats = len(entrants)
    fitting = (n for n in range(1, seats + 1) if seats % n == 0)
    return next(n for n in fitting if [*entrants[n:], *entrants[:n]] == list(entrants))


def _blank(plan: Plan, bots: Sequence[int], deals: int) -> PlayMatch:
    chosen = [plan.bots[bot] for bot in bots]
    name = "/".join([plan.seed, *(bot.version for bot in chosen)])
    return PlayMatch(
        attempt=1,
        token="",
        game=plan.game,
        limits=_limits(plan, deals),
        match=blake2b(name.encode(), digest_size=16).hexdigest(),
        rules=plan.rules,
        options=dict(plan.options),
        deals=[],
        seats=[_entrant(bot) for bot in chosen],
        width=plan.width,
    )


def _limits(plan: Plan, deals: int) -> dict[str, int]:
    """The limits of a job with that many deals: the time bank grows with the deals."""
    limits = dict(plan.limits)
    if "bank_ms" in limits and 0 < plan.match_deals < deals:
        limits["bank_ms"] = limits["bank_ms"] * deals // plan.match_deals
    return limits


def _entrant(bot: Contestant) -> Entrant:
    return Entrant(bot.version, bot.class_name, bot.memory)
