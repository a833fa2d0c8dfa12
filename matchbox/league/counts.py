"""Everything that a standing needs from its rows, as counts that can be added up.

Knows rows; rates nobody. Counts of different matches can be added without their rows, in any order;
the sum is identical to the counts of all rows together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from matchbox.league.cooperative_boards import ScoredBouts, collect_scores, join_scores
from matchbox.league.meetings import SeatTallies, add_seats, count_seats
from matchbox.league.pairwise import Ints, PairwiseResults, compare, join
from matchbox.league.rows import Row, by_match, digest_bouts, half_points


class CountedInBoth(ValueError):
    """Two counts cannot be added, since a match or a deal is in both."""


class Tally(NamedTuple):
    """An entrant's matches, and its bouts: won with more than half of the points, drawn with half,
    else lost."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    """Bouts."""
    bout_wins: int = 0
    bout_draws: int = 0
    bout_losses: int = 0

    def plus(self, other: Tally) -> Tally:
        """The sum of both."""
        return Tally(*(one + more for one, more in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Some matches of one league or season.

    Attributes:
        matches: the digest of each match's bouts.
        tallies: by entrant.
        pairwise: which entrant beat which; without entries on a cooperative board.
        scored: the scores of each entrant; without entries if the seats compete.
        deals: (d,), ascending: the keys of the deals in `pairwise`.
        seats: the points of each seat; empty on a cooperative board.
    """

    matches: Mapping[str, bytes]
    tallies: Mapping[str, Tally]
    pairwise: PairwiseResults
    scored: ScoredBouts
    deals: Ints
    seats: SeatTallies = field(default_factory=dict)

    @property
    def number_of_deals(self) -> int:
        """How many deals were played; the results of one deal depend on each other."""
        return int(self.pairwise.deals.sum()) + self.scored.deals


def count(rows: Iterable[Row], *, seat_term: bool = False, cooperative: bool = False) -> Counts:
    """Counts these rows; their order and repetitions do not matter.

    Raises ValueError if the rows contradict each other, an entrant meets itself, or a cooperative
    bout has no scores.
    """
    matches = by_match(rows)
    ordered = tuple(row for name in sorted(matches) for row in matches[name])
    rivals, team = ((), ordered) if cooperative else (ordered, ())
    return Counts(
        {name: digest_bouts(bouts) for name, bouts in matches.items()},
        tally(ordered),
        compare(rivals, seat_term=seat_term),
        collect_scores(team),
        np.unique(np.array([_key(deal) for deal in {row.deal for row in rivals}], dtype=np.int64)),
        count_seats(rivals),
    )


def add(one: Counts, other: Counts) -> Counts:
    """Adds counts, as if all rows were counted together.

    Raises CountedInBoth if a match, or a deal between rivals, is in both. The results of one deal
    depend on each other, and only the rows show how.
    """
    deals = np.intersect1d(one.deals, other.deals, assume_unique=True)
    if len(deals) or not one.matches.keys().isdisjoint(other.matches):
        raise CountedInBoth("a match or a deal is in both counts; count all their rows together")
    names = one.tallies.keys() | other.tallies.keys()
    none = Tally()
    return Counts(
        {**one.matches, **other.matches},
        {
            name: one.tallies.get(name, none).plus(other.tallies.get(name, none))
            for name in sorted(names)
        },
        join(one.pairwise, other.pairwise),
        join_scores(one.scored, other.scored),
        np.union1d(one.deals, other.deals),
        add_seats(one.seats, other.seats),
    )


def tally(rows: Iterable[Row]) -> dict[str, Tally]:
    """Every entrant's matches, bouts and forfeits, by name in alphabetical order."""
    surplus: Counter[tuple[str, str]] = Counter()
    forfeits: Counter[str] = Counter()
    bouts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for row in rows:
        for entrant, half_won in zip(row.seats, half_points(row), strict=True):
            over = half_won - (len(row.seats) - 1)
            surplus[entrant, row.match] += over
            bouts[entrant][_sign(over)] += 1
        if row.forfeit is not None:
            forfeits[row.seats[row.forfeit]] += 1
    results: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for (entrant, _), over in surplus.items():
        results[entrant][_sign(over)] += 1
    return {
        entrant: Tally(
            signs.total(), signs[1], signs[0], signs[-1], forfeits[entrant], own[1], own[0], own[-1]
        )
        for entrant, signs in sorted(results.items())
        for own in [bouts[entrant]]
    }


def _sign(over: int) -> int:
    return (over > 0) - (over < 0)


def _key(deal: str) -> int:
    """A deal's key. If two deals had the same key, `add` would refuse counts needlessly, and
    nothing worse."""
    return int.from_bytes(blake2b(deal.encode(), digest_size=8).digest(), signed=True)
