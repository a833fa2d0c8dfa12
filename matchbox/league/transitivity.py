"""Tests whether one number per bot is enough, and computes two orders that need no such number.

Knows comparisons and the strengths fitted to them; fits nothing itself. If some bots beat better
ones and lose to worse ones, the official score is the mean expected score against a uniform field
(Borda); Nash averaging shows which bots are hard to exploit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, fdtrc, logit

from matchbox.league.bradley_terry import FEW_DEALS, curvature
from matchbox.league.comparisons import Cells, Comparisons, Floats, Ints

SHOWN: Final = 5
"""The number of worst-fitting pairs that are named."""
MOST_PAIRS: Final = 1000
"""With more pairs than this, pairs are taken to be independent."""
UNMET: Final = 2.0
"""The fitted expectation of a pair weighs as much as this many of its bouts."""
TINY: Final = 1e-12
SURE: Final = 30.0
"""Log odds beyond this count as certain."""


@dataclass(frozen=True, slots=True)
class Residual:
    """A pair that fits badly: the points that the first took, and those expected."""

    first: str
    second: str
    games: int
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


@dataclass(frozen=True, slots=True, eq=False)
class _PairTotals:
    """k pairs without seats: (k,) bouts, points of the first, expected points; (k, k) spread."""

    cells: Cells
    met: Floats
    won: Floats
    chance: Floats
    spread: sparse.csr_array
    fourth: Floats
    """(k,): for each pair, the sum over its deals of the fourth cumulant of the first's points."""
    freedom: float
    """The number of deals beyond each pair's first; only these show the spread."""

    @property
    def expected(self) -> Floats:
        """(k,): the variance of the first one's points if all bouts were independent."""
        return self.met * self.chance * (1 - self.chance)


def lack_of_fit(compared: Comparisons, strengths: Floats) -> LackOfFit | None:
    """Pearson's chi-square of the pairs; None if no pair can be tested.

    Its law under clustering by deal is that of J. N. K. Rao and A. J. Scott (1984): a chi-square
    whose mean and variance follow from the spread of the deals around each pair's own mean. If
    pairs have few deals, the spread of the whole field is used instead. The deals' fourth cumulants
    count, since a few bouts are not normal. The spread is estimated from the pairs' further deals,
    so p comes from an F distribution. `strengths` (n,) are in natural units. Raises ValueError if
    the comparisons have seats.
    """
    if compared.seats:
        raise ValueError("lack of fit is that of pairs; compare the rows without seats")
    cells = compared.cells()
    totals = _pair_totals(cells, compared, strengths)
    if len(totals.met) <= max(cells.names - 1, 0):
        return None
    apart = totals.won - totals.met * totals.chance
    square = float((apart**2 / totals.expected).sum())
    mean, variance = _moments(totals)
    if mean <= 0 or variance <= 0:  # No pair has a second deal to show a spread.
        return None
    freedom = 2 * mean**2 / variance
    p = float(fdtrc(freedom, totals.freedom, square / mean))
    return LackOfFit(square * freedom / mean, freedom, p, _worst(compared, totals, apart))


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Mean expected scores against the uniform field, 0 to 1, and their covariance."""

    means: Floats
    covariance: Floats


def borda(compared: Comparisons, strengths: Floats) -> Scores:
    """(n,) mean expected scores against all others, weighted equally (J.-C. de Borda, 1781).

    A pair's expected score combines its own results with the fitted expectation, which weighs as
    much as `UNMET` bouts; for pairs that never met it is the fitted expectation alone.
    """
    cells = compared.cells()
    totals = _pair_totals(cells, compared, strengths)
    chances = _chances(totals, strengths)
    n = len(strengths)
    others = max(n - 1, 1)
    means = (chances.sum(axis=1) - 0.5) / others
    whole = totals.met + UNMET
    # The pair's probability, for the first and against the second.
    design = sparse.csr_array(
        (np.tile([1.0, -1.0], len(whole)), (np.repeat(np.arange(len(whole)), 2), _ends(cells))),
        shape=(len(whole), n),
    )
    scaled = sparse.diags_array(1 / whole) @ design
    covariance = (scaled.T @ (totals.spread @ scaled)).toarray()
    guess = expit(np.subtract.outer(strengths, strengths))
    doubt = guess * (1 - guess) / (UNMET + 1)
    met = np.zeros((n, n))
    first, second = cells.columns[:, :2].T
    met[first, second] = met[second, first] = totals.met
    doubt *= (UNMET / (met + UNMET)) ** 2
    np.fill_diagonal(doubt, 0.0)
    covariance += np.diag(doubt.sum(axis=1)) - doubt
    return Scores(means, covariance / others**2)


def nash(chances: Floats) -> tuple[Floats, Floats]:
    """Returns (n,) the mixture of bots that nobody beats, the most even one if there are several,
    and (n,) the log odds of each bot against it: 0 for bots in it, less for all others.

    `chances` (n, n): the probability that the line beats the column. D. Balduzzi, K. Tuyls, J.
    Perolat, T. Graepel, "Re-evaluating evaluation" (2018): the equilibrium of greatest entropy of
    the game whose payoffs are the log odds. It is computed from its dual, which is smooth and
    convex.
    """
    odds = np.clip(logit(chances), -SURE, SURE)
    odds = (odds - odds.T) / 2

    def dual(weights: Floats) -> tuple[float, Floats]:
        mixture, top = _softmax(odds @ weights)
        return top, -(odds @ mixture)

    n = len(odds)
    found = minimize(
        dual,
        np.zeros(n),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * n,
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
    )
    mixture, _ = _softmax(odds @ found.x)
    return mixture, odds @ mixture


def chances_of(compared: Comparisons, strengths: Floats) -> Floats:
    """(n, n): the probability that the line beats the column, from their own bouts if they met."""
    return _chances(_pair_totals(compared.cells(), compared, strengths), strengths)


def _pair_totals(cells: Cells, compared: Comparisons, strengths: Floats) -> _PairTotals:
    times = compared.times[compared.deal].astype(np.float64)
    met, won = cells.total(times * compared.met), cells.total(times * compared.won)
    first, second = cells.columns[:, :2].T
    chance = expit(strengths[first] - strengths[second])
    expected = met * chance * (1 - chance)
    apart = compared.won - compared.met * (won / met)[cells.kind]
    shape = (len(compared.times), len(met))
    by_deal = sparse.csr_array((apart, (compared.deal, cells.kind)), shape=shape)
    many = sparse.diags_array(compared.times.astype(np.float64))
    deals = cells.total(times)
    # A pair's own spread counts by its number of deals; the field's spread fills up the rest.
    trust = np.maximum(deals - 1, 0) / (np.maximum(deals - 1, 0) + FEW_DEALS)
    few = sparse.diags_array(np.sqrt(trust * deals / np.maximum(deals - 1, 1)))
    own = few @ sparse.csr_array(by_deal.T @ (many @ by_deal)) @ few
    several = deals > 1
    ratio = (own.diagonal()[several] / trust[several]).sum() / max(expected[several].sum(), TINY)
    spread = sparse.csr_array(own + sparse.diags_array((1 - trust) * ratio * expected))
    left = compared.won - compared.met * chance[cells.kind]
    fourth = cells.total(times * left**4) - 3 * spread.diagonal() ** 2 / deals
    return _PairTotals(cells, met, won, chance, spread, fourth, float((deals - 1)[several].sum()))


def _moments(totals: _PairTotals) -> tuple[float, float]:
    """Mean and variance of the sum of squares if strengths explain everything."""
    cells, pairs, expected = totals.cells, len(totals.met), totals.expected
    ratio = totals.spread.diagonal().sum() / expected.sum()
    left = pairs - (cells.names - 1)
    more = float((totals.fourth / expected**2).sum()) * (left / pairs) ** 2
    if pairs > MOST_PAIRS:
        return float(ratio * left), float(2 * ratio**2 * left) + more
    information = curvature(cells, expected, np.zeros((cells.width, cells.width)))
    design = np.zeros((pairs, cells.names))
    design[np.arange(pairs), cells.columns[:, 0]] = 1.0
    design[np.arange(pairs), cells.columns[:, 1]] = -1.0
    drawn = expected[:, None] * (design @ np.linalg.pinv(information) @ design.T)
    rest = np.eye(pairs) - drawn
    law = (rest @ totals.spread.toarray() @ rest.T) / expected[:, None]
    return float(np.trace(law)), float(2 * (law * law.T).sum()) + more


def _worst(compared: Comparisons, totals: _PairTotals, apart: Floats) -> tuple[Residual, ...]:
    error = np.sqrt(totals.spread.diagonal())
    z = apart / np.where(error > 0, error, np.sqrt(totals.expected))
    found = []
    for at in np.argsort(-np.abs(z), kind="stable")[:SHOWN]:
        first, second = (compared.entrants[int(one)] for one in totals.cells.columns[at, :2])
        share = float(totals.won[at] / totals.met[at])
        expected = float(totals.chance[at])
        found.append(Residual(first, second, int(totals.met[at]), share, expected, float(z[at])))
    return tuple(found)


def _chances(totals: _PairTotals, strengths: Floats) -> Floats:
    chances = expit(np.subtract.outer(strengths, strengths))
    first, second = totals.cells.columns[:, :2].T
    own = (totals.won + UNMET * totals.chance) / (totals.met + UNMET)
    chances[first, second], chances[second, first] = own, 1 - own
    return np.asarray(chances)


def _ends(cells: Cells) -> Ints:
    return cells.columns[:, :2].ravel()


def _softmax(values: Floats) -> tuple[Floats, float]:
    """Shares in proportion to the exponentials, and the logarithm of their sum."""
    top = float(values.max())
    raised = np.exp(values - top)
    whole = float(raised.sum())
    return np.asarray(raised / whole), top + float(np.log(whole))
