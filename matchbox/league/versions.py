"""Compares two versions: head to head in deal pairs, or both against the same field.

Knows rows; plays nothing. The head to head is a sequential test with an estimate that early
stopping does not bias (`sprt`, `estimate`). The gauntlet is a difference paired by deal and
opponents, with Student's interval clustered by deal (K.-Y. Liang and S. L. Zeger, 1986). It never
ends early: the interval is right only if the number of bouts was fixed before.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean
from typing import Final, NotRequired, TypedDict

import numpy as np
import scipy

from matchbox.league.estimate import Estimate, estimate
from matchbox.league.pairwise import Floats
from matchbox.league.rows import Row, half_points, in_order, points
from matchbox.league.sprt import Trial, TrialState, Verdict, trial_state

CHALLENGER: Final = 0
DEFENDER: Final = 1
OTHERS: Final = 2
"""The index of the field's first bot in a line-up."""
PAIR: Final = 2


class NoSharedDeal(ValueError):
    """The versions of a gauntlet have played no deal with the same others."""

    def __init__(self) -> None:
        super().__init__("the two versions share no deal with the same others; play a gauntlet")


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The state of the head to head; the estimate is None before its end."""

    state: TrialState
    pairs: tuple[int, ...]
    estimate: Estimate | None


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The challenger's mean points per bout minus the defender's.

    Attributes:
        difference: over all that both played: from -1 to 1, or in the game's own score.
        ci95: None with a single deal, which shows no spread.
        p_better: the confidence that the challenger is better against this field, or None likewise.
        deals: the number of deals that both played.
        by_opponent: the difference against each, at tables of two.
    """

    difference: float
    ci95: tuple[float, float] | None
    p_better: float | None
    deals: int
    by_opponent: dict[str, float]

    @property
    def verdict(self) -> Verdict:
        """Better or not-better only if the whole interval says so."""
        if self.ci95 is not None and self.ci95[0] > 0:
            return "better"
        return "not-better" if self.ci95 is not None and self.ci95[1] <= 0 else "undecided"


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """A mean with its 95% interval and the confidence that it lies above 0, as in `Gauntlet`."""

    mean: float
    ci95: tuple[float, float] | None
    p_above: float | None


class Figures(TypedDict):
    """The figures of a comparison as JSON-ready data; each kind leaves out those of the other.

    `games` counts bouts.

    Elo and its interval are None until a head to head is over, if all pairs had the same result,
    and in a gauntlet.
    """

    verdict: Verdict
    llr: float | None
    games: int
    elo: float | None
    ci95: list[float] | None
    p_better: NotRequired[float | None]
    bounds: NotRequired[list[float]]
    alpha: NotRequired[float]
    beta: NotRequired[float]
    llr_bounds: NotRequired[list[float]]
    pairs: NotRequired[list[int]]
    difference: NotRequired[float | None]
    difference_ci95: NotRequired[list[float] | None]
    deals: NotRequired[int]
    by_opponent: NotRequired[dict[str, float]]


def line_ups(others: int, seats: int, *, cooperative: bool) -> list[tuple[int, ...]]:
    """The line-ups of every deal: `CHALLENGER`, `DEFENDER`, and the field's bots from `OTHERS` on.

    With a field, each version sits with the same others, all of these equally often. Without a
    field, the two meet at a table of two; in a cooperative game each fills a table of its own.
    Raises ValueError if two versions alone cannot fill the tables.
    """
    if not others:
        if cooperative:
            return [(CHALLENGER,) * seats, (DEFENDER,) * seats]
        if seats != PAIR:
            raise ValueError(f"at tables of {seats} two versions need a field to sit with")
        return [(CHALLENGER, DEFENDER)]
    if seats < PAIR:
        raise ValueError("at tables of one nobody meets a field")
    starts = range(others if (seats - 1) % others else 1)
    return [
        (version, *(OTHERS + (start + place) % others for place in range(seats - 1)))
        for start in starts
        for version in (CHALLENGER, DEFENDER)
    ]


def judge(trial: Trial, pairs: Sequence[int], *, looks: int) -> HeadToHead:
    """The head to head after these `deal_pairs`; call it only after whole batches.

    `looks` is the number of batches so far; the estimate allows for the jump of the ratio in each.
    """
    found = trial_state(trial, pairs)
    shown = estimate(trial, pairs, looks=looks) if found.over else None
    return HeadToHead(found, tuple(pairs), shown)


def head_to_head_document(trial: Trial, head_to_head: HeadToHead) -> Figures:
    """The head to head as JSON-ready data. Elo and its interval are None until it is over, and if
    all pairs had the same result."""
    shown = head_to_head.estimate
    return {
        "verdict": head_to_head.state.verdict,
        "llr": round(head_to_head.state.llr, 4),
        "games": head_to_head.state.bouts,
        "elo": round(shown.elo, 2) if shown else None,
        "ci95": [round(shown.low, 2), round(shown.high, 2)] if shown else None,
        "p_better": round(shown.p_better, 4) if shown else None,
        "bounds": [trial.lower, trial.upper],
        "alpha": trial.alpha,
        "beta": trial.beta,
        "llr_bounds": [round(bound, 4) for bound in trial.thresholds],
        "pairs": list(head_to_head.pairs),
    }


def gauntlet_document(found: Gauntlet, bouts: int) -> Figures:
    """A gauntlet of this many bouts as JSON-ready data, with the keys of a head to head empty."""
    return {
        "verdict": found.verdict,
        "llr": None,
        "games": bouts,
        "elo": None,
        "ci95": None,
        "p_better": None if found.p_better is None else round(found.p_better, 4),
        "difference": round(found.difference, 6),
        "difference_ci95": [round(bound, 6) for bound in found.ci95] if found.ci95 else None,
        "deals": found.deals,
        "by_opponent": {name: round(value, 6) for name, value in found.by_opponent.items()},
    }


def deal_pairs(rows: Iterable[Row], challenger: str, defender: str) -> tuple[int, ...]:
    """The five counts for a test: deals played from both sides, by the challenger's points.

    Other tables, and deals with only one side so far, are ignored.
    """
    taken: defaultdict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for row in in_order(rows):
        if sorted(row.seats) == sorted((challenger, defender)) and challenger != defender:
            seat = row.seats.index(challenger)
            taken[row.match, row.deal][seat] = half_points(row)[seat]
    whole = [sum(sides.values()) for sides in taken.values() if len(sides) == 2]
    return tuple(whole.count(halves) for halves in range(5))


class GauntletSums:
    """The sums of a gauntlet so far: the challenger's result minus the defender's, by deal.

    In points, or in scores in a cooperative game.
    """

    def __init__(self, challenger: str, defender: str, *, cooperative: bool = False) -> None:
        self._versions = challenger, defender
        self._cooperative = cooperative
        self._sums, self._tables = array("d"), array("d")
        self._against: defaultdict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
        """By the others at the table, the sum of the differences and their number."""

    def add(self, rows: Iterable[Row]) -> None:
        """Adds all rows of some deals. A deal counts for what both versions played with the same
        others, or each as a team of its own."""
        shares: dict[str, defaultdict[tuple[str, tuple[str, ...]], list[float]]] = {
            version: defaultdict(list) for version in self._versions
        }
        for row in in_order(rows):
            mine = [name for name in self._versions if name in row.seats]
            if len(mine) == 1:
                others = tuple(sorted(name for name in row.seats if name != mine[0]))
                seat = row.seats.index(mine[0])
                value = row.scores[seat] if self._cooperative else points(row)[seat]
                shares[mine[0]][row.deal, others].append(value)
        challenger, defender = shares.values()
        by_deal: defaultdict[str, list[float]] = defaultdict(list)
        for deal, others in sorted(challenger.keys() & defender.keys()):
            key = deal, others
            value = fmean(challenger[key]) - fmean(defender[key])
            by_deal[deal].append(value)
            self._against[others][0] += value
            self._against[others][1] += 1
        self._sums.extend(map(sum, by_deal.values()))
        self._tables.extend(map(len, by_deal.values()))

    def gauntlet(self) -> Gauntlet:
        """The result so far. Raises NoSharedDeal if there is no deal that counts."""
        if not self._sums:
            raise NoSharedDeal
        sums, tables = np.array(self._sums), np.array(self._tables)
        found = mean_difference(sums, tables, cooperative=self._cooperative)
        alone = {
            others[0]: total / number
            for others, (total, number) in sorted(self._against.items())
            if len(others) == 1
        }
        return Gauntlet(found.mean, found.ci95, found.p_above, len(sums), alone)


def gauntlet(
    rows: Iterable[Row], challenger: str, defender: str, *, cooperative: bool = False
) -> Gauntlet:
    """The gauntlet of these rows, as `GauntletSums` adds them up.

    Raises NoSharedDeal if there is no deal that counts.
    """
    sums = GauntletSums(challenger, defender, cooperative=cooperative)
    sums.add(rows)
    return sums.gauntlet()


def mean_difference(sums: Floats, tables: Floats, *, cooperative: bool = False) -> MeanDifference:
    """The mean difference of a table; `sums` and `tables` (d,) are the sum of the differences and
    the number of the tables of each deal.

    Half a deal with the greatest difference in favour of each version is added to the spread alone
    (A. Agresti and Y. Min, "Simple improved confidence intervals for comparing matched
    proportions", 2005). Where the versions differ in few deals, the others show too little spread.
    In a cooperative game, the greatest difference is the greatest that was seen, but at least 1.
    """
    deals, all_tables = len(sums), float(tables.sum())
    mean = float(sums.sum()) / all_tables
    if deals < 2:
        return MeanDifference(mean, None, None)
    greatest = all_tables / deals
    if cooperative:
        greatest = max(greatest, float(np.abs(sums).max()))
    square = float(((sums - tables * mean) ** 2).sum()) + greatest**2
    error = sqrt(square * deals / (deals - 1)) / all_tables
    half = float(scipy.special.stdtrit(deals - 1, 0.975)) * error
    most = inf if cooperative else 1.0
    return MeanDifference(
        mean,
        (max(mean - half, -most), min(mean + half, most)),
        float(scipy.special.stdtr(deals - 1, mean / error)),
    )
