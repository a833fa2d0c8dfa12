"""Two orders that need no single strength per bot: mean expected scores, and Nash averaging.

Knows pairwise results and the strengths fitted to them; fits nothing itself.

The mean expected score (J.-C. de Borda, 1781) takes each pair's own results as far as they are
known, and the fitted expectation for the rest. How far a pair may be from that expectation is
learned from the pairs that met: a model with a random effect for each pair, whose spread is
estimated by moments (R. C. Paule and J. Mandel, 1982), and shrinkage toward the expectation (C. N.
Morris, 1983).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from matchbox.league.bradley_terry import curvature
from matchbox.league.pairwise import Bools, Floats, Ints, PairwiseResults
from matchbox.league.ratings import ELO, PRIOR_ELO
from matchbox.league.transitivity import TINY, PairTotals, pair_totals

PRIOR_SD: Final = 0.05
"""The standard deviation of an even pair around its expectation, before any pair has met."""
PRIOR_PAIRS: Final = 2.0
"""PRIOR_SD weighs as much as this many pairs that are exactly known."""
MIN_VARIANCE: Final = 1e-8
"""The least variance; without any, a pair's own results would never count."""
STEPS: Final = 30
ALIKE: Final = 0.04
"""Two whose shares of points differ by this (root mean square) count as two opponents."""
MAX_LOG_ODDS: Final = 30.0
"""Log odds beyond this count as certain."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Mean expected scores of n entrants.

    Attributes:
        means: (n,), 0 to 1.
        covariance: (n, n), of the means.
        chances: (n, n), the expected share of the row against the column.
        opponents: (n,), how many others are in the present field.
        estimated: (n,), how many of these the entrant has never met.
    """

    means: Floats
    covariance: Floats
    chances: Floats
    opponents: Ints
    estimated: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """The pairs that met, and what they teach about all pairs.

    Attributes:
        totals: of the k pairs that met.
        first, second: (k,), the entrants of each pair, by number.
        incidence: (n, k), the incidence matrix: 1 for a pair's first, -1 for its second.
        reliability: (k,), the weight of the pair's own results, 0 to 1; the rest is that of the
            expectation.
        variance: (k,), of the pair's true share around the expectation.
        even_variance: that variance for an even pair.
    """

    totals: PairTotals
    first: Ints
    second: Ints
    incidence: scipy.sparse.csr_array
    reliability: Floats
    variance: Floats
    even_variance: float


@dataclass(frozen=True, slots=True, eq=False)
class _Strengths:
    """Strengths as all pairs together support them, and how the results move them.

    Attributes:
        at: (n,), in natural units.
        jacobian: (n, n), the derivative of each strength by the points of each entrant.
        shrinkage_cov: (n, n), the covariance of the part that the shrinkage takes away.
    """

    at: Floats
    jacobian: Floats
    shrinkage_cov: Floats

    @property
    def expected(self) -> Floats:
        """(n, n): the expected share of the row against the column."""
        return np.asarray(scipy.special.expit(np.subtract.outer(self.at, self.at)))


def expected_scores(
    results: PairwiseResults, strengths: Floats, field: Sequence[int] | None = None
) -> Scores:
    """The mean expected scores against the present field; `strengths` (n,) in natural units.

    `field` holds the numbers of the entrants in it; None means all. Entrants that nothing tells
    apart count as one opponent (`_weights`). Intervals assume that a pair that never met is as far
    from its expectation as the pairs that met are on average. Raises ValueError if the results have
    seats.
    """
    totals = pair_totals(results, strengths)
    pairs = _learn(totals)
    known = _shrink(pairs, strengths)
    chances = _chances(pairs, known)
    n = len(strengths)
    met = np.zeros((n, n), dtype=np.bool_)
    met[pairs.first, pairs.second] = met[pairs.second, pairs.first] = True
    present = np.zeros(n, dtype=np.bool_)
    present[list(range(n) if field is None else field)] = True
    weights = _weights(chances, met, present)
    means = np.clip((weights * chances).sum(axis=1), 0.0, 1.0)
    others = present[None, :] & ~np.eye(n, dtype=np.bool_)
    covariance = _covariance(pairs, known, weights, met)
    return Scores(means, covariance, chances, others.sum(axis=1), (others & ~met).sum(axis=1))


def nash(chances: Floats) -> tuple[Floats, Floats]:
    """Returns (n,) the mixture of bots that nobody beats, the most even one if there are several,
    and (n,) the log odds of each bot against it: 0 for bots in it, less for all others.

    `chances` (n, n): the probability that the row beats the column. D. Balduzzi, K. Tuyls, J.
    Perolat, T. Graepel, "Re-evaluating evaluation" (2018): the equilibrium of greatest entropy of
    the game whose payoffs are the log odds. It is computed from its dual, which is smooth and
    convex.
    """
    if not len(chances):
        return np.zeros(0), np.zeros(0)
    odds = np.clip(scipy.special.logit(chances), -MAX_LOG_ODDS, MAX_LOG_ODDS)
    odds = (odds - odds.T) / 2

    def dual(weights: Floats) -> tuple[float, Floats]:
        mixture, top = _softmax(odds @ weights)
        return top, -(odds @ mixture)

    n = len(odds)
    found = scipy.optimize.minimize(
        dual,
        np.zeros(n),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * n,
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
    )
    mixture, _ = _softmax(odds @ found.x)
    return mixture, odds @ mixture


def _learn(totals: PairTotals) -> _Pairs:
    """Estimates the variance of pairs around their expectation, and each pair's reliability.

    The variance of a pair is v scale, where v is that of an even pair and scale = (4 p (1 - p))^2.
    The estimate of v is a mean of (residual^2 - noise) / scale over the pairs, with the weights
    1 / (noise / scale + v)^2, and of PRIOR_SD^2; it is repeated until it stays (Paule and Mandel).
    """
    first, second = totals.design.columns[:, :2].T
    n, k = totals.design.entrant_count, len(totals.met)
    scale = (4 * totals.chance * (1 - totals.chance)) ** 2
    noise = totals.noise
    even_variance = PRIOR_SD**2
    free = 1 - (n - 1) / max(k, 1)
    if free > 0:
        # The fit has already absorbed a part of every residual.
        excess = ((totals.won / totals.met - totals.chance) ** 2 / free - noise) / scale
        for _ in range(STEPS):
            weight = free / (noise / scale + even_variance) ** 2
            prior_weight = PRIOR_PAIRS / max(even_variance, PRIOR_SD**2) ** 2
            mean = (weight @ excess + prior_weight * PRIOR_SD**2) / (weight.sum() + prior_weight)
            even_variance = max(float(mean), MIN_VARIANCE)
    variance = even_variance * scale
    incidence = _by_pair(first, second, n, np.ones(k), np.ones(k))
    reliability = variance / (variance + noise)
    return _Pairs(totals, first, second, incidence, reliability, variance, even_variance)


def _shrink(pairs: _Pairs, strengths: Floats) -> _Strengths:
    """Strengths shrunk by the part of their variance that is error: keep = s (E + s 1)^-1.

    E is the covariance of their errors, by the noise of the results and the variance of the pairs;
    s is the variance of the true strengths. Without that, an entrant that has met more losers would
    be expected to beat everybody that it has not met, even in a field where everybody beats half of
    the others.
    """
    totals, n = pairs.totals, len(strengths)
    precision = (ELO / PRIOR_ELO) ** 2 * np.eye(n)
    bread = scipy.linalg.inv(curvature(totals.design, totals.expected, precision))
    points = totals.covariance + scipy.sparse.diags_array(totals.met**2 * pairs.variance)
    error = bread @ (pairs.incidence @ points @ pairs.incidence.T).toarray() @ bread
    variance = _true_variance(strengths, np.diag(error))
    keep = np.zeros((n, n))
    if variance > 0:
        keep = variance * scipy.linalg.inv(error + variance * np.eye(n))
    lost = np.eye(n) - keep
    return _Strengths(keep @ strengths, keep @ bread, variance * lost @ lost.T)


def _true_variance(values: Floats, noise: Floats) -> float:
    """The variance of true values around 0, from estimates and the variance of each one's noise.

    It solves sum(values^2 / (noise + variance)) = n - 1 (Paule and Mandel).
    """

    def excess(variance: float) -> float:
        return float((values**2 / (noise + variance)).sum()) - (len(values) - 1)

    most = float((values**2).sum())
    if len(values) < 2 or excess(MIN_VARIANCE) <= 0:
        return 0.0
    return float(scipy.optimize.brentq(excess, MIN_VARIANCE, most))


def _chances(pairs: _Pairs, known: _Strengths) -> Floats:
    """(n, n): the expected share of the row against the column."""
    chances, at, swapped = known.expected, (pairs.first, pairs.second), (pairs.second, pairs.first)
    share = pairs.totals.won / pairs.totals.met
    chances[at] += pairs.reliability * (share - chances[at])
    chances[swapped] = 1 - chances[at]
    return chances


def _weights(chances: Floats, met: Bools, present: Bools) -> Floats:
    """(n, n): the weight of the column in the score of the row; each row's sum is 1.

    Clones share one weight: 1 / (the sum of an entrant's likeness to all present ones). That is
    multiplied by 1 - (its likeness to the row). The likeness of two is 1 - d^2 / ALIKE^2, at least
    0, where d^2 is the mean square of the difference of their expected shares, over the opponents
    that both have met.
    Noise sets shares apart, so entrants with few results count fully. Such weights are used for
    similar sequences in the analysis of sequence families (F. Morcos and others, 2011).
    """
    known = ((met | np.eye(len(met), dtype=np.bool_)) & present[None, :]).astype(np.float64)
    common, shares = known @ known.T, known * chances
    square = (shares * chances) @ known.T
    apart = (square + square.T - 2 * shares @ shares.T) / np.maximum(common, 1.0)
    alike = np.clip(1 - apart / ALIKE**2, 0.0, 1.0)
    alike[2 * common < present.sum()] = 0.0
    np.fill_diagonal(alike, 1.0)
    share = present / np.maximum(alike @ present, 1.0)
    weights = share[None, :] * np.maximum(1 - alike, TINY)
    np.fill_diagonal(weights, 0.0)
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), TINY**2))


def _covariance(pairs: _Pairs, known: _Strengths, weights: Floats, met: Bools) -> Floats:
    """(n, n): the covariance of the scores.

    The error of a score is linear in three independent errors: the noise of the results, the
    distance of each pair from its expectation, and the part of the strengths that the shrinkage
    takes away. The first two also move the strengths, and with them all expectations. So the map
    from pairs to scores, (n, k), is `direct` + `jacobian` @ `incidence`; it is never made dense.
    """
    totals, n = pairs.totals, len(weights)
    expected = known.expected
    slope = expected * (1 - expected) * weights
    slope[pairs.first, pairs.second] *= 1 - pairs.reliability
    slope[pairs.second, pairs.first] *= 1 - pairs.reliability
    by_strength = np.diag(slope.sum(axis=1)) - slope
    jacobian = by_strength @ known.jacobian
    mine, theirs = weights[pairs.first, pairs.second], weights[pairs.second, pairs.first]

    def direct(values: Floats) -> scipy.sparse.csr_array:
        return _by_pair(pairs.first, pairs.second, n, mine * values, theirs * values)

    def propagate(
        direct: scipy.sparse.csr_array,
        incidence: scipy.sparse.csr_array,
        pair_cov: scipy.sparse.csr_array,
    ) -> Floats:
        """A C A' for A = direct + jacobian @ incidence and the covariance C of the pairs."""
        cross = jacobian @ (incidence @ pair_cov @ direct.T).toarray()
        total = (direct @ pair_cov @ direct.T).toarray() + cross + cross.T
        indirect = (incidence @ pair_cov @ incidence.T).toarray()
        return np.asarray(total + jacobian @ indirect @ jacobian.T)

    noise = propagate(direct(pairs.reliability / totals.met), pairs.incidence, totals.covariance)
    moved = scipy.sparse.csr_array(pairs.incidence @ scipy.sparse.diags_array(totals.met))
    variances = scipy.sparse.csr_array(scipy.sparse.diags_array(pairs.variance))
    apart = propagate(direct(pairs.reliability - 1), moved, variances)
    imputed = np.where(met, 0.0, pairs.even_variance * (4 * expected * (1 - expected)) ** 2)
    np.fill_diagonal(imputed, 0.0)
    unmet = np.diag((weights**2 * imputed).sum(axis=1)) - weights * weights.T * imputed
    return np.asarray(noise + apart + unmet + by_strength @ known.shrinkage_cov @ by_strength.T)


def _by_pair(
    first: Ints, second: Ints, n: int, ahead: Floats, behind: Floats
) -> scipy.sparse.csr_array:
    """(n, k): `ahead` in the row of each pair's first, minus `behind` in that of its second."""
    ends = (np.concatenate([first, second]), np.tile(np.arange(len(first)), 2))
    return scipy.sparse.csr_array((np.concatenate([ahead, -behind]), ends), shape=(n, len(first)))


def _softmax(values: Floats) -> tuple[Floats, float]:
    """The softmax (n,) of the values, and the logarithm of the sum of their exponentials."""
    top = float(values.max())
    exponentials = np.exp(values - top)
    total = float(exponentials.sum())
    return np.asarray(exponentials / total), top + float(np.log(total))
