"""A season as data: who plays, the rounds so far, what they came to; and who rises after it.

Decides nothing between rounds: that is in course.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal, TypeAlias

from matchbox.dice import SeededDice
from matchbox.league.counts import Counts
from matchbox.league.knock_out import Tie
from matchbox.league.pairing import Pairing

Stage: TypeAlias = Literal["placement", "cycle", "mixed", "swiss", "tail", "group", "knock-out"]


@dataclass(frozen=True, slots=True)
class Round:
    """Matches that may be played at once."""

    stage: Stage
    pairings: tuple[Pairing, ...] = ()
    rests: tuple[str, ...] = ()
    """Of a Swiss round: who has nobody to meet."""
    ties: tuple[Tie, ...] = ()
    """Of a knock-out, in the order of the draw: those that are decided by now, too."""


@dataclass(frozen=True, slots=True)
class Field:
    """Who plays, and at what tables."""

    entrants: tuple[str, ...]
    seed: str
    seats: int = 2
    deals: int = 1
    """Of a match."""
    cooperative: bool = False
    owner: Mapping[str, str] = field(default_factory=dict)
    """Whose each bot is; who is not in it meets everybody."""
    newcomers: frozenset[str] = frozenset()

    @property
    def order(self) -> list[str]:
        """The entrants as the lot has drawn them."""
        drawn = sorted(self.entrants)
        self.dice("order", 0).shuffle(drawn)
        return drawn

    @property
    def paired(self) -> bool:
        """Whether tables are of two rivals."""
        return self.seats == 2 and not self.cooperative

    def dice(self, what: str, step: int) -> SeededDice:
        """The dice of one decision."""
        return SeededDice(blake2b(f"{what}:{self.seed}".encode(), digest_size=16).digest(), step)


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match that is final; `taken` are the half points of everybody in it, None if it is void."""

    round: int
    seats: tuple[str, ...]
    taken: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """What has been played."""

    rounds: tuple[Round, ...] = ()
    """As they were opened; their pairings are the meetings'."""
    meetings: tuple[Meeting, ...] = ()
    counts: Callable[[Collection[int]], Counts] | None = None
    """Of all the matches in these rounds; None where nothing was played."""
    out: frozenset[str] = frozenset()
    """Who plays no more."""
    struck: frozenset[str] = frozenset()
    """Whose matches count no more either."""

    def of(self, *stages: Stage) -> list[int]:
        """The numbers of the rounds of these stages."""
        return [number for number, one in enumerate(self.rounds) if one.stage in stages]

    def met_in(self, rounds: Collection[int]) -> list[Meeting]:
        """What counts of these rounds."""
        return [
            one
            for one in self.meetings
            if one.round in rounds and not self.struck.intersection(one.seats)
        ]


def promote(divisions: Sequence[Sequence[str]], moving: int) -> list[list[str]]:
    """The divisions of the next season: the best `moving` of each rise, the last sink.

    `divisions` are final orders, best first, the highest division first. Raises ValueError where a
    division is too small to keep anybody, or somebody is in two.
    """
    names = [name for order in divisions for name in order]
    if len(set(names)) != len(names):
        raise ValueError("an entrant is in two divisions; every entrant plays in one")
    inner = [2 * moving if 0 < at < len(divisions) - 1 else moving for at in range(len(divisions))]
    if moving < 1 or any(len(order) <= out for order, out in zip(divisions, inner, strict=True)):
        raise ValueError(f"{moving} to rise and {moving} to sink leave nobody in some division")
    following = []
    for at, order in enumerate(divisions):
        above = list(divisions[at - 1][-moving:]) if at else []
        below = list(divisions[at + 1][:moving]) if at + 1 < len(divisions) else []
        kept = order[moving if at else 0 : len(order) - (moving if below else 0)]
        following.append([*above, *kept, *below])
    return following
