"""Tests whether one strength per bot explains the results, and decides which figure ranks.

Knows pairwise results and the strengths fitted to them; fits nothing itself. A test for lack of fit
finds any misfit once there are enough deals, and no real game fits exactly. So it decides nothing:
Elo ranks until a pair is surely five points off, or a weaker bot surely beats a stronger one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from matchbox.league.bradley_terry import FEW_DEALS, curvature
from matchbox.league.line import By
from matchbox.league.pairwise import Bools, Design, Floats, PairwiseResults
from matchbox.league.ranges import standard_errors

SHOWN: Final = 5
"""The number of worst-fitting pairs that are named."""
MAX_PAIRS: Final = 1000
"""With more pairs than this, pairs are taken to be independent."""
TINY: Final = 1e-12
FIVE_POINTS: Final = 0.05
"""A share of points. A strength that predicts all pairs this well is good enough to rank by."""
EVER: Final = 0.01
"""The probability that a field which strengths explain is ever said to be misfitting."""
PACE: Final = 20.0
"""The parameter rho of `margin`: the margin is narrowest at a few hundred deals of a pair."""
MIN_PAIR_DEALS: Final = 20
"""Pairs with fewer deals than this decide nothing."""
STILL_MISFIT: Final = 0.5
"""Borda's scores rank on while a misfit exceeds this part of the margin that it once exceeded."""


@dataclass(frozen=True, slots=True)
class Residual:
    """A pair that fits badly: the share of the points that the first took, and the expected one."""

    first: str
    second: str
    bouts: int
    share: float
    expected: float
    z: float
    """In standard errors, by the spread of the pair's own deals."""


@dataclass(frozen=True, slots=True)
class LackOfFit:
    """The test of the hypothesis that strengths alone explain the results; a small p rejects it."""

    chi_square: float
    freedom: float
    p: float
    worst: tuple[Residual, ...]


@dataclass(frozen=True, slots=True)
class Upset:
    """A weaker entrant that surely beats a stronger one, and its share of the points."""

    winner: str
    loser: str
    bouts: int
    share: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """The figure that ranks, and why.

    Attributes:
        by: "elo", or "borda" if a single strength surely misleads.
        held: whether Borda ranks only because it ranked before.
        upsets: weaker entrants that surely beat stronger ones.
    """

    by: By
    held: bool = False
    upsets: tuple[Upset, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PairTotals:
    """The totals of k pairs, seats left out.

    Attributes:
        design: of the results; one kind for each pair.
        met: (k,), bouts.
        won: (k,), points that the first took.
        chance: (k,), the probability that the first wins, by the strengths.
        deals: (k,).
        covariance: (k, k), of the points that the firsts took; pairs on the same deal depend on
            each other.
        fourth: (k,), the sum over the pair's deals of the fourth cumulant of the first's points.
        freedom: the number of deals beyond each pair's first; only these show the variance.
    """

    design: Design
    met: Floats
    won: Floats
    chance: Floats
    deals: Floats
    covariance: scipy.sparse.csr_array
    fourth: Floats
    freedom: float

    @property
    def expected(self) -> Floats:
        """(k,): the variance of the first one's points if all bouts were independent."""
        return self.met * self.chance * (1 - self.chance)

    @property
    def noise(self) -> Floats:
        """(k,): the variance of the first one's share of the points.

        One deal more could have gone to either side. Without that, pairs that always end alike
        would be certain after two deals.
        """
        return np.asarray(self.covariance.diagonal() / self.met**2 + 0.25 / self.deals**2)


def lack_of_fit(results: PairwiseResults, strengths: Floats) -> LackOfFit | None:
    """Pearson's chi-square of the pairs; None if no pair can be tested.

    Its distribution under clustering by deal is that of J. N. K. Rao and A. J. Scott (1984): a
    chi-square whose mean and variance follow from the spread of the deals around each pair's own
    mean. If pairs have few deals, the spread of the whole field is used instead. The deals' fourth
    cumulants count, since a few bouts are not normal. The spread is estimated from the pairs'
    further deals, so p comes from an F distribution. `strengths` (n,) are in natural units. Raises
    ValueError if the results have seats.
    """
    totals = pair_totals(results, strengths)
    if len(totals.met) <= max(totals.design.entrant_count - 1, 0):
        return None
    apart = totals.won - totals.met * totals.chance
    square = float((apart**2 / totals.expected).sum())
    mean, variance = _moments(totals)
    if mean <= 0 or variance <= 0:  # No pair has a second deal to show a spread.
        return None
    freedom = 2 * mean**2 / variance
    p = float(scipy.special.fdtrc(freedom, totals.freedom, square / mean))
    return LackOfFit(square * freedom / mean, freedom, p, _worst(results, totals, apart))


def verdict(
    results: PairwiseResults, strengths: Floats, covariance: Floats, before: By | None = None
) -> Verdict:
    """Decides whether strengths (n,) and their covariance (n, n), in natural units, may rank.

    They may not if a pair's share of points is more than `FIVE_POINTS` from what they predict, or
    if a weaker entrant beats a stronger one. Both must be sure, jointly for all pairs and looks:
    margins are those of H. Robbins's normal mixture (1970), with I. Waudby-Smith's and others'
    estimated variances (2024), divided among the pairs (Bonferroni). The weaker one is surely
    weaker if the strengths say so, or if a chain of sure winners leads from the loser to it.

    If `before` is "borda", half of the margin is enough. So results near the limit do not change
    the figure back and forth. Raises ValueError if the results have seats.
    """
    totals = pair_totals(results, strengths)
    if not len(totals.met):
        return Verdict("elo")
    found = _Margins(totals, strengths, covariance)
    upsets = found.upsets(1.0)
    if found.misfits(1.0).any() or upsets.any():
        return Verdict("borda", upsets=_named(results, totals, upsets))
    held = before == "borda" and bool(
        found.misfits(STILL_MISFIT).any() or found.upsets(STILL_MISFIT).any()
    )
    return Verdict("borda" if held else "elo", held)


class _Margins:
    """The pairs that surely misfit, for a part of the whole margin."""

    def __init__(self, totals: PairTotals, strengths: Floats, covariance: Floats) -> None:
        first, second = totals.design.columns[:, :2].T
        self._totals = totals
        self._gap = strengths[first] - strengths[second]
        self._gap_error = standard_errors(covariance, first, second)
        self._share = totals.won / totals.met
        self._known = totals.deals >= MIN_PAIR_DEALS
        self._wide = margin(totals.deals, EVER / len(totals.met))
        self._error = np.sqrt(totals.noise)

    def misfits(self, part: float) -> Bools:
        """(k,): whether the pair's share is surely more than `FIVE_POINTS` from the expected."""
        off = np.abs(self._share - self._totals.chance) - FIVE_POINTS
        return np.asarray(self._known & (off > part * self._wide * self._error))

    def upsets(self, part: float) -> Bools:
        """(k,): whether the weaker one surely beats the stronger one."""
        ahead = self._share - 0.5
        sure = self._known & (np.abs(ahead) > part * self._wide * self._error)
        weaker = ahead * self._gap <= 0
        sure_gap = np.abs(self._gap) > part * self._wide * self._gap_error
        return np.asarray(sure & weaker & (sure_gap | self._in_circle(sure, ahead)))

    def _in_circle(self, sure: Bools, ahead: Floats) -> Bools:
        """(k,): whether both entrants of the pair are in one circle of sure winners."""
        ends = self._totals.design.columns[sure, :2]
        swapped = ahead[sure] < 0
        ends[swapped] = ends[swapped][:, ::-1]
        n = self._totals.design.entrant_count
        beats = scipy.sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
        _, circle = scipy.sparse.csgraph.connected_components(beats, connection="strong")
        first, second = self._totals.design.columns[:, :2].T
        return np.asarray(circle[first] == circle[second])


def margin(deals: Floats, ever: float) -> Floats:
    """The margin of a mean over `deals` deals (k,), in standard errors, that holds at every look.

    The probability that the mean is ever outside is `ever`. With n deals and rho = PACE it is
    sqrt((n + rho) / n (log((n + rho) / rho) - 2 log(ever))). H. Robbins, "Statistical methods
    related to the law of the iterated logarithm" (1970), for the normal mixture.
    """
    more = (deals + PACE) / np.maximum(deals, 1)
    return np.asarray(np.sqrt(more * (np.log((deals + PACE) / PACE) - 2 * np.log(ever))))


def pair_totals(results: PairwiseResults, strengths: Floats) -> PairTotals:
    """The totals of every pair that met; `strengths` (n,) are in natural units.

    Raises ValueError if the results have seats.
    """
    if results.seats:
        raise ValueError("totals are those of pairs; compare the rows without seats")
    design = results.design()
    times = results.deals[results.outcome].astype(np.float64)
    met, won = design.sum_by_kind(times * results.met), design.sum_by_kind(times * results.won)
    first, second = design.columns[:, :2].T
    chance = np.clip(scipy.special.expit(strengths[first] - strengths[second]), TINY, 1 - TINY)
    expected = met * chance * (1 - chance)
    apart = results.won - results.met * (won / met)[design.kind]
    shape = (len(results.deals), len(met))
    by_deal = scipy.sparse.csr_array((apart, (results.outcome, design.kind)), shape=shape)
    times_outcome = scipy.sparse.diags_array(results.deals.astype(np.float64))
    deals = design.sum_by_kind(times)
    # A pair's own covariance counts by its number of deals; the rest is the field's.
    own_weight = np.maximum(deals - 1, 0) / (np.maximum(deals - 1, 0) + FEW_DEALS)
    factor = scipy.sparse.diags_array(np.sqrt(own_weight * deals / np.maximum(deals - 1, 1)))
    own = factor @ scipy.sparse.csr_array(by_deal.T @ (times_outcome @ by_deal)) @ factor
    several = deals > 1
    dispersion = (own.diagonal()[several] / own_weight[several]).sum() / max(
        expected[several].sum(), TINY
    )
    covariance = scipy.sparse.csr_array(
        own + scipy.sparse.diags_array((1 - own_weight) * dispersion * expected)
    )
    residual = results.won - results.met * chance[design.kind]
    fourth = design.sum_by_kind(times * residual**4) - 3 * covariance.diagonal() ** 2 / deals
    freedom = float((deals - 1)[several].sum())
    return PairTotals(design, met, won, chance, deals, covariance, fourth, freedom)


def _moments(totals: PairTotals) -> tuple[float, float]:
    """Mean and variance of Pearson's statistic if strengths explain everything.

    The residuals are (1 - H) e, where e are the errors of the points, with the covariance C, and H
    is the hat matrix of the fit. With D = diag(1 / expected) and A = D (1 - H) C (1 - H)', the mean
    is tr(A) and the variance 2 tr(A A), plus a term for the errors' fourth cumulants (Rao and
    Scott). In a large field C is taken to be a multiple of the expected variances.
    """
    design, pairs, expected = totals.design, len(totals.met), totals.expected
    ratio = totals.covariance.diagonal().sum() / expected.sum()
    free = pairs - (design.entrant_count - 1)
    excess = float((totals.fourth / expected**2).sum()) * (free / pairs) ** 2
    if pairs > MAX_PAIRS:
        return float(ratio * free), float(2 * ratio**2 * free) + excess
    count = design.column_count
    information = curvature(design, expected, np.zeros((count, count)))
    matrix = np.zeros((pairs, design.entrant_count))
    matrix[np.arange(pairs), design.columns[:, 0]] = 1.0
    matrix[np.arange(pairs), design.columns[:, 1]] = -1.0
    hat = expected[:, None] * (matrix @ np.linalg.pinv(information) @ matrix.T)
    residual = np.eye(pairs) - hat
    scaled = (residual @ totals.covariance.toarray() @ residual.T) / expected[:, None]
    return float(np.trace(scaled)), float(2 * (scaled * scaled.T).sum()) + excess


def _worst(results: PairwiseResults, totals: PairTotals, apart: Floats) -> tuple[Residual, ...]:
    error = np.sqrt(totals.covariance.diagonal())
    z = apart / np.where(error > 0, error, np.sqrt(totals.expected))
    found = []
    for at in np.argsort(-np.abs(z), kind="stable")[:SHOWN]:
        first, second = (results.entrants[int(one)] for one in totals.design.columns[at, :2])
        share = float(totals.won[at] / totals.met[at])
        expected = float(totals.chance[at])
        found.append(Residual(first, second, int(totals.met[at]), share, expected, float(z[at])))
    return tuple(found)


def _named(results: PairwiseResults, totals: PairTotals, upsets: Bools) -> tuple[Upset, ...]:
    """These pairs, the clearest first."""
    share = totals.won / totals.met
    found = []
    for at in np.flatnonzero(upsets).tolist():
        one, other = (results.entrants[int(end)] for end in totals.design.columns[at, :2])
        won = float(share[at])
        names = (one, other) if won > 0.5 else (other, one)
        found.append(Upset(*names, int(totals.met[at]), max(won, 1 - won)))
    return tuple(sorted(found, key=lambda upset: (-upset.share, upset.winner, upset.loser)))
