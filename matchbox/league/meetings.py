"""The points that two entrants, or the seats of a table, took from each other.

Sums counts for the figures of a board; ranks nobody. The results of one deal depend on each other,
so every interval takes the deals, not the bouts, as its trials.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from matchbox.lab.statistics import Interval, wilson
from matchbox.league.pairwise import HALVES, MET, Floats, PairwiseResults, without_seats
from matchbox.league.rows import Row, half_points


class Meeting(NamedTuple):
    """Two entrants that have met; the first comes first in the alphabet."""

    first: str
    second: str
    bouts: int
    half_points: int
    """Twice the points that the first took; a bout has one point, a draw is half of it."""
    deals: int
    variance: float
    """The variance of the first's share in one deal."""


class SeatTally(NamedTuple):
    """The half points that one seat of a table took, as sums over the deals."""

    bouts: int
    half_points: int
    deals: int
    half_points_squared: int
    """The sum of (half points on the deal)^2."""
    crossed: int
    """The sum of (half points on the deal) * (bouts on the deal)."""
    bouts_squared: int
    """The sum of (bouts on the deal)^2."""

    def plus(self, other: SeatTally) -> SeatTally:
        """The sum of both; no deal may be in both."""
        return SeatTally(*(one + more for one, more in zip(self, other, strict=True)))


SeatTallies: TypeAlias = Mapping[tuple[int, int], SeatTally]
"""By (seats at the table, seat)."""


def meetings(results: PairwiseResults) -> list[Meeting]:
    """Every pair that has met, in alphabetical order."""
    plain = without_seats(results)
    if not len(plain.entries):
        return []
    entrants = len(plain.entrants)
    keys, pair = np.unique(
        plain.entries[:, 0] * entrants + plain.entries[:, 1], return_inverse=True
    )
    often = plain.deals[plain.outcome].astype(np.float64)
    met, halves = plain.entries[:, MET], plain.entries[:, HALVES]
    bouts, taken, deals, squares, crossed, lengths = (
        np.asarray(np.bincount(pair, often * one, len(keys)), np.float64)
        for one in (met, halves, np.ones(len(met)), halves**2, halves * met, met**2)
    )
    variances = _variance(bouts, taken / 2, deals, squares / 4, crossed / 2, lengths)
    columns = (keys, bouts, taken, deals, variances)
    return [
        Meeting(
            plain.entrants[key // entrants],
            plain.entrants[key % entrants],
            int(many),
            int(half),
            int(sets),
            variance,
        )
        for key, many, half, sets, variance in zip(*(one.tolist() for one in columns), strict=True)
    ]


def count_seats(rows: Iterable[Row]) -> dict[tuple[int, int], SeatTally]:
    """Counts the points of every seat, over the bouts with two or more seats."""
    deals: defaultdict[tuple[str, int, int], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        if (size := len(row.seats)) > 1:
            for seat, half in enumerate(half_points(row)):
                found = deals[row.deal, size, seat]
                found[0] += 1
                found[1] += half
    seats: dict[tuple[int, int], SeatTally] = {}
    none = SeatTally(0, 0, 0, 0, 0, 0)
    for (_, size, seat), (bouts, half) in deals.items():
        one = SeatTally(bouts, half, 1, half * half, half * bouts, bouts * bouts)
        seats[size, seat] = seats.get((size, seat), none).plus(one)
    return dict(sorted(seats.items()))


def add_seats(one: SeatTallies, other: SeatTallies) -> dict[tuple[int, int], SeatTally]:
    """The sum of both; no deal may be in both."""
    none = SeatTally(0, 0, 0, 0, 0, 0)
    keys = sorted(one.keys() | other.keys())
    return {key: one.get(key, none).plus(other.get(key, none)) for key in keys}


def share_of(bouts: int, half_points: int, deals: int, variance: float) -> tuple[float, Interval]:
    """The share of the points of a meeting's first entrant, with its 95% interval.

    The arguments are a `Meeting`'s bouts, half points, deals and variance of the share in one deal.
    """
    share = half_points / (2 * bouts)
    return share, wilson(share, deals, variance=variance)


def seat_share(size: int, tally: SeatTally) -> tuple[float, Interval]:
    """The share of the points that a seat of a table of this size took, with its interval."""
    most = 2 * (size - 1)
    share = tally.half_points / (most * tally.bouts)
    sums = (
        tally.bouts,
        tally.half_points / most,
        tally.deals,
        tally.half_points_squared / most**2,
        tally.crossed / most,
        tally.bouts_squared,
    )
    variance = float(_variance(*(np.array(one, np.float64) for one in sums)))
    return share, wilson(share, tally.deals, variance=variance)


def _variance(
    bouts: Floats, points: Floats, deals: Floats, squares: Floats, crossed: Floats, lengths: Floats
) -> Floats:
    """The variance of the share in one deal, as a ratio estimate (Cochran 1977, 6.4).

    The arguments are sums over the deals: of the bouts, the points, 1, the squared points, points
    times bouts, and the squared bouts.
    """
    share = points / bouts
    around = np.maximum(0.0, squares - 2 * share * crossed + share**2 * lengths)
    return np.asarray(around * deals**2 / (np.maximum(1, deals - 1) * bouts**2))
