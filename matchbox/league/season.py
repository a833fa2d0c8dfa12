"""A season as data: entrants, rounds and results so far; and promotion after it.

course.py decides about the next rounds.
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
    """Matches that may be played at the same time."""

    stage: Stage
    pairings: tuple[Pairing, ...] = ()
    rests: tuple[str, ...] = ()
    """In a Swiss round: the entrants with a bye: no opponent, and a full point for each."""
    ties: tuple[Tie, ...] = ()
    """In a knock-out: all ties in the order of the draw, including those already decided."""
    order: tuple[str, ...] = ()
    """In the first round that a season stores: its entrants in the order that was drawn. In the
    first round of groups after placement matches: in the order of those, which makes the groups."""


@dataclass(frozen=True, slots=True)
class Field:
    """The entrants, and the size of their tables."""

    entrants: tuple[str, ...]
    seed: str
    seats: int = 2
    deals: int = 1
    """The number of deals in a match."""
    cooperative: bool = False
    owner: Mapping[str, str] = field(default_factory=dict)
    """The owner of each bot; a bot without an owner may meet everybody."""
    newcomers: frozenset[str] = frozenset()
    drawn: tuple[str, ...] = ()
    """The entrants in the order that was drawn; empty before the first round."""

    @property
    def order(self) -> list[str]:
        """The entrants in an order drawn by lot. It is drawn once, since names may change."""
        if self.drawn:
            return list(self.drawn)
        drawn = sorted(self.entrants)
        self.dice("order", 0).shuffle(drawn)
        return drawn

    @property
    def paired(self) -> bool:
        """Whether tables seat two rivals."""
        return self.seats == 2 and not self.cooperative

    def dice(self, purpose: str, step: int) -> SeededDice:
        """The dice of one decision, named by `purpose` and `step`."""
        return SeededDice(blake2b(f"{purpose}:{self.seed}".encode(), digest_size=16).digest(), step)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A finished match. `half_points` are those of each entrant; None if the match is void."""

    round: int
    seats: tuple[str, ...]
    half_points: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The season so far."""

    rounds: tuple[Round, ...] = ()
    """The rounds as they were opened; `matches` holds the matches of their pairings."""
    matches: tuple[MatchResult, ...] = ()
    counts: Callable[[Collection[int]], Counts] | None = None
    """Returns the counts of all matches in these rounds; None if nothing was played."""
    out: frozenset[str] = frozenset()
    """Bots that play no further matches."""
    disqualified: frozenset[str] = frozenset()
    """Bots that are out and whose matches no longer count."""

    def rounds_of(self, *stages: Stage) -> list[int]:
        """The numbers of all rounds of these stages."""
        return [number for number, one in enumerate(self.rounds) if one.stage in stages]

    def matches_in(self, rounds: Collection[int]) -> list[MatchResult]:
        """The matches in these rounds that count."""
        return [
            one
            for one in self.matches
            if one.round in rounds and not self.disqualified.intersection(one.seats)
        ]


def promote(divisions: Sequence[Sequence[str]], moving: Sequence[int]) -> list[list[str]]:
    """The divisions of the next season: the best of each rise, the last sink.

    `divisions` holds final orders, best first, the highest division first; `moving` says how many
    rise and sink between each and the next. Raises ValueError if a division would lose all its
    bots, or if a bot is in two divisions.
    """
    names = [name for order in divisions for name in order]
    if len(set(names)) != len(names):
        raise ValueError("an entrant is in two divisions; every entrant plays in one")
    rising, sinking = [0, *moving], [*moving, 0]
    following = []
    for at, order in enumerate(divisions):
        if len(order) <= rising[at] + sinking[at]:
            raise ValueError(
                f"{rising[at]} to rise and {sinking[at]} to sink leave nobody in division {at + 1}"
            )
        above = divisions[at - 1][len(divisions[at - 1]) - rising[at] :] if at else ()
        below = divisions[at + 1][: sinking[at]] if sinking[at] else ()
        kept = order[rising[at] : len(order) - sinking[at]]
        following.append([*above, *kept, *below])
    return following
