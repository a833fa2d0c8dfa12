"""The goals of isolated play, and whether they are met.

Knows the figures that were measured; measures none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from bench.booking import Booked
from bench.growth import Grown
from bench.measure import Lone, Long, Seats, Speed
from bench.sample_game import GAME

# For each figure: the value that must be reached, and the one that we hope for.
RATIO: Final = (0.45, 1.0)
"""Speed of each of our games in plain Python, as a share of the plain loop's."""
PLAIN: Final = {GAME: (0.3, 0.45)}
"""Speed of a game without any hook in plain Python, as a share of the plain loop's."""
COMPILED: Final = {"bomb": (1.0, 3.0), GAME: (0.4, 0.6)}
"""The same for bomb and for a game without any hook, both in the compiled build."""
CORES: Final = {1: (0.95, 1.0), 2: (1.8, 1.9)}
"""Speed of bots that think, by cores, as a multiple of the plain loop's on one core."""
TWO_CORES: Final = (1.9, 5.0)
"""Speed on two cores in the compiled build, as a multiple of the plain loop's on one core."""
LONG_S: Final = (2.0, 0.4)
"""Seconds of a long match of 10,000 games, to its result in the database."""
BOOKED_GAMES: Final = 36.0
"""The time that the ledger may take to book a match, in games of bomb in the plain loop (mean of
its tables). It is a quarter of the time before results were booked together, measured in turn
with the same loop: see "Growth" in docs/performance.md."""
BYTES: Final = (12.0, 8.0)
"""Bytes of the record for a game of bomb."""
_PLAIN_US: Final = 40
"""Microseconds per game of the plain loop on the goals' machine. The goals in milliseconds, for one
game alone and for seats, are set for that machine."""
LONE_MS: Final = {"seated_ms": 1.0, "forked_ms": 6.0, "opened_ms": 250.0}
"""Milliseconds of one game by itself."""
SEATS_MS: Final = 4.0
"""Milliseconds of both seats of a match."""
_LONE: Final = {
    "seated_ms": "one game in open seats",
    "forked_ms": "one game in fresh forks",
    "opened_ms": "one game in a fresh box",
}
_SCALED: Final = f"where the plain loop takes {_PLAIN_US} us a game"


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal, with the measured figure."""

    name: str
    must: str
    """The condition, in words."""
    stretch: str
    """The value that we hope for; empty if there is none."""
    measured: float
    held: bool


def least(name: str, goal: tuple[float, float], measured: float) -> Goal:
    """A goal that is met by this figure or a larger one."""
    must, stretch = goal
    return Goal(name, f"{must:g} or more", f"{stretch:g}", measured, measured >= must)


def most(name: str, goal: tuple[float, float | None], measured: float, unit: str) -> Goal:
    """A goal that is met by this figure or a smaller one."""
    must, stretch = goal
    hoped = "" if stretch is None else f"{stretch:g} {unit}"
    return Goal(name, f"{must:g} {unit} or less", hoped, measured, measured <= must)


def goals(
    fast: Sequence[Speed],
    plain: Sequence[Speed],
    alone: Sequence[Lone],
    walls: Sequence[Seats],
    long: Sequence[Long],
    booked: Sequence[Booked],
    grown: Sequence[Grown],
) -> list[Goal]:
    """All goals that these figures decide, in the first box only. `plain` has the speeds in
    plain Python if `fast` has compiled ones; it is empty if `fast` is in plain Python."""
    return [
        *_speeds(plain or fast, "plain Python", PLAIN),
        *(_speeds(fast, "compiled", COMPILED) if plain else ()),
        *_growth(grown, compiled=bool(plain)),
        *_alone(fast, alone[:1]),
        *_seats(walls[:1]),
        *(
            most(f"{one.games:,} games of a pair, to the database", LONG_S, one.booked_s, "s")
            for one in long[:1]
        ),
        *(
            most(
                f"a match booked with others ({one.match_ms:.2f} ms here), in games of the loop",
                (BOOKED_GAMES, None),
                one.games,
                "games",
            )
            for one in booked
        ),
        *_records(fast),
    ]


def _speeds(
    found: Sequence[Speed], build: str, musts: Mapping[str, tuple[float, float]]
) -> Iterator[Goal]:
    """The goals for the mean of each game's tables, in the first box."""
    own = [one for one in found if one.box == found[0].box]
    for game in dict.fromkeys(one.game for one in own):
        ratio = fmean(one.ratio for one in own if one.game == game)
        yield least(f"{game} on one core, {build}", musts.get(game, RATIO), ratio)


def _growth(grown: Sequence[Grown], *, compiled: bool) -> Iterator[Goal]:
    for one in grown:
        if one.by == "cores" and one.size == 2 and compiled:
            yield least("bomb on two cores, compiled", TWO_CORES, one.ratio)
        if one.by == "cores, thinking":
            name = f"bots that think, {'one core' if one.size == 1 else 'two cores'}"
            yield least(name, CORES[one.size], one.ratio)


def _alone(fast: Sequence[Speed], alone: Sequence[Lone]) -> Iterator[Goal]:
    """The goals in milliseconds, for times scaled to the goals' machine by the plain loop."""
    plain = [one.plain_us for one in fast if one.game == "bomb"]
    for one in alone if plain else ():
        for part, must in LONE_MS.items():
            taken = getattr(one, part)
            name = f"{_LONE[part]} ({taken:.2f} ms here), {_SCALED}"
            yield most(name, (must, None), taken * _PLAIN_US / fmean(plain), "ms")


def _seats(walls: Sequence[Seats]) -> Iterator[Goal]:
    for one in walls:
        name = f"both seats of a match ({one.both_ms:.2f} ms here), {_SCALED}"
        yield most(name, (SEATS_MS, None), one.games * _PLAIN_US / 1000, "ms")


def _records(fast: Sequence[Speed]) -> Iterator[Goal]:
    longest = [one.bytes for one in fast if one.game == "bomb"]
    if longest:
        yield most("the record of a game of bomb", BYTES, max(longest), "bytes")
