"""A version against another: head to head in deal pairs, or both through the same field.

Knows rows; plays nothing. The head to head is a sequential test with an estimate that its stopping
does not flatter (`sprt`, `estimate`); the gauntlet is a difference paired by deal and company, with
Student's interval clustered by deal (K.-Y. Liang and S. L. Zeger, 1986).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from scipy.special import stdtr, stdtrit

from matchbox.league.estimate import Estimate, estimate
from matchbox.league.rows import Row, half_points, in_order, points
from matchbox.league.sprt import Answer, Trial, answer


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far the head to head is, and what it shows once it is over; None before."""

    answer: Answer
    pairs: tuple[int, ...]
    estimate: Estimate | None


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The challenger's mean points a bout less the defender's, from -1 to 1.

    Attributes:
        difference: over all they both played.
        ci95: None while there is but one deal to tell a spread.
        p_better: the confidence that the challenger is better against this field; None likewise.
        deals: how many both played.
        by_opponent: the difference against each, at tables of two.
    """

    difference: float
    ci95: tuple[float, float] | None
    p_better: float | None
    deals: int
    by_opponent: dict[str, float]


def judge(trial: Trial, rows: Iterable[Row], challenger: str, defender: str) -> Verdict:
    """The head to head as far as these rows go; to be asked after whole matches."""
    pairs = deal_pairs(rows, challenger, defender)
    found = answer(trial, pairs)
    return Verdict(found, pairs, estimate(trial, pairs) if found.over else None)


def deal_pairs(rows: Iterable[Row], challenger: str, defender: str) -> tuple[int, ...]:
    """The five counts that a test takes: deals played from both sides, by what the challenger took.

    Other tables, and deals that lack a side so far, count nothing.
    """
    taken: defaultdict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for row in in_order(rows):
        if sorted(row.seats) == sorted((challenger, defender)) and challenger != defender:
            seat = row.seats.index(challenger)
            taken[row.match, row.deal][seat] = half_points(row)[seat]
    whole = [sum(sides.values()) for sides in taken.values() if len(sides) == 2]
    return tuple(whole.count(halves) for halves in range(5))


def gauntlet(rows: Iterable[Row], challenger: str, defender: str) -> Gauntlet:
    """What the challenger takes of a field beyond the defender, on deals that both played with the
    same others. Raises ValueError where there is no such deal.
    """
    shares: dict[str, defaultdict[tuple[str, tuple[str, ...]], list[float]]] = {
        challenger: defaultdict(list),
        defender: defaultdict(list),
    }
    for row in in_order(rows):
        mine = [name for name in (challenger, defender) if name in row.seats]
        if len(mine) == 1:
            others = tuple(sorted(name for name in row.seats if name != mine[0]))
            seat = row.seats.index(mine[0])
            shares[mine[0]][row.deal, others].append(points(row)[seat])
    apart = {
        key: fmean(shares[challenger][key]) - fmean(shares[defender][key])
        for key in sorted(shares[challenger].keys() & shares[defender].keys())
    }
    if not apart:
        raise ValueError("the two versions share no deal with the same others; play a gauntlet")
    against: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    for (_, others), value in apart.items():
        against[others].append(value)
    alone = {others[0]: fmean(values) for others, values in against.items() if len(others) == 1}
    return _clustered(apart, alone)


def _clustered(
    apart: dict[tuple[str, tuple[str, ...]], float], alone: dict[str, float]
) -> Gauntlet:
    mean = fmean(apart.values())
    by_deal: defaultdict[str, float] = defaultdict(float)
    for (deal, _), value in apart.items():
        by_deal[deal] += value - mean
    deals = len(by_deal)
    if deals < 2:
        return Gauntlet(mean, None, None, deals, alone)
    square = sum(value**2 for value in by_deal.values()) * deals / (deals - 1)
    error = sqrt(square) / len(apart)
    half = float(stdtrit(deals - 1, 0.975)) * error
    sure = float(stdtr(deals - 1, mean / error)) if error else 0.5 * (1 + (mean > 0) - (mean < 0))
    return Gauntlet(mean, (mean - half, mean + half), sure, deals, alone)
