"""What isolated play must reach, and whether it does, as the design's table of goals has it.

Knows the figures that were measured; measures none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from bench.growth import Grown
from bench.measure import LONG, Lone, Long, Speed

RATIO: Final = 0.45
"""Of the plain loop, every game in plain Python."""
COMPILED: Final = 1.0
"""Of the plain loop, bomb compiled."""
CORES: Final = {1: 0.95, 2: 1.8}
"""Of the plain loop on one core, bots that think, by cores."""
TWO_CORES: Final = 1.9
"""Of the plain loop on one core, on two, compiled."""
LONG_S: Final = 2.0
BYTES: Final = 12.0
"""Of the record, a game of bomb."""
_PLAIN_US: Final = 40
"""A game of the plain loop where these goals for one game alone are in milliseconds."""
LONE_MS: Final = {"seated_ms": 1.0, "forked_ms": 6.0, "opened_ms": 250.0}
_LONE: Final = {
    "seated_ms": "one game in seats that are there",
    "forked_ms": "one game in fresh forks",
    "opened_ms": "one game in a fresh box",
}


@dataclass(frozen=True, slots=True)
class Goal:
    """One of them."""

    name: str
    must: str
    """In words."""
    measured: float
    held: bool


def least(name: str, must: float, measured: float) -> Goal:
    """One that is held by as much or more."""
    return Goal(name, f"{must:g} or more", measured, measured >= must)


def most(name: str, must: float, measured: float, unit: str) -> Goal:
    """One that is held by as much or less."""
    return Goal(name, f"{must:g} {unit} or less", measured, measured <= must)


def goals(
    fast: Sequence[Speed],
    plain: Sequence[Speed],
    alone: Sequence[Lone],
    long: Sequence[Long],
    grown: Sequence[Grown],
) -> list[Goal]:
    """All that can be told of these figures, in the first box alone. `plain` are the speeds in
    plain Python where `fast` are compiled, and empty where `fast` are in plain Python."""
    return [
        *_speeds(plain or fast, "plain Python", {}),
        *(_speeds(fast, "compiled", {"bomb": COMPILED}) if plain else ()),
        *_growth(grown, compiled=bool(plain)),
        *_alone(fast, alone[:1]),
        *(
            most(f"{LONG:,} games of a pair, to the database", LONG_S, one.booked_s, "s")
            for one in long[:1]
        ),
        *_records(fast),
    ]


def _speeds(found: Sequence[Speed], build: str, musts: dict[str, float]) -> Iterator[Goal]:
    """The mean of each game's tables, in the first box."""
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
    """In milliseconds of a machine whose plain loop takes as long as where the goals are from."""
    plain = [one.plain_us for one in fast if one.game == "bomb"]
    for one in alone if plain else ():
        for part, must in LONE_MS.items():
            scaled = getattr(one, part) * _PLAIN_US / fmean(plain)
            name = f"{_LONE[part]}, where the plain loop takes {_PLAIN_US} us a game"
            yield most(name, must, scaled, "ms")


def _records(fast: Sequence[Speed]) -> Iterator[Goal]:
    longest = [one.bytes for one in fast if one.game == "bomb"]
    if longest:
        yield most("the record of a game of bomb", BYTES, max(longest), "bytes")
