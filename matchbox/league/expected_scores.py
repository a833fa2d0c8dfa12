"""Two orders that need no single strength per bot: mean expected scores, and Nash averaging.

Knows comparisons and the strengths fitted to them; fits nothing itself.

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
from matchbox.league.comparisons import Bools, Comparisons, Floats, Ints
from matchbox.league.ratings import ELO, PRIOR_ELO
from matchbox.league.transitivity import TINY, PairTotals, pair_totals

SUPPOSED: Final = 0.05
"""The spread of an even pair around its expectation that is supposed before any pair has met."""
SUPPOSED_PAIRS: Final = 2.0
"""That supposition weighs as much as this many pairs that are exactly known."""
MIN_SPREAD: Final = 1e-8
"""The least spread; without any, a pair's own results would never count."""
STEPS: Final = 30
ALIKE: Final = 0.04
"""Shares of points this far apart on average count as those of two different opponents."""
SURE: Final = 30.0
"""Log odds beyond this count as certain."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Mean expected scores of n entrants.

    Attributes:
        means: (n,), 0 to 1.
        covariance: (n, n), of the means.
        chances: (n, n), the expected share of the line against the column.
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
        through: (n, k), which pairs' points move which strength.
        own: (k,), how far the pair's own results count, 0 to 1; the rest is the expectation.
        spread: (k,), the variance of the pair's true share around the expectation.
        between: that variance for an even pair.
    """

    totals: PairTotals
    first: Ints
    second: Ints
    through: scipy.sparse.csr_array
    own: Floats
    spread: Floats
    between: float


@dataclass(frozen=True, slots=True, eq=False)
class _Strengths:
    """Strengths as all pairs together support them, and how the results move them.

    Attributes:
        at: (n,), in natural units.
        reach: (n, n), how far the points of each entrant move each strength.
        doubt: (n, n), the covariance of the part that the shrinkage takes away.
    """

    at: Floats
    reach: Floats
    doubt: Floats

    @property
    def guess(self) -> Floats:
        """(n, n): the expected share of the line against the column."""
        return np.asarray(scipy.special.expit(np.subtract.outer(self.at, self.at)))


def expected_scores(
    compared: Comparisons, strengths: Floats, field: Sequence[int] | None = None
) -> Scores:
    """The mean expected scores against the present field; `strengths` (n,) in natural units.

    `field` holds the numbers of the entrants in it; None means all. Entrants that nothing tells
    apart count as one opponent. Intervals assume that a pair that never met is as far from its
    expectation as the pairs that met are on average. Raises ValueError if the comparisons have
    seats.
    """
    totals = pair_totals(compared, strengths)
    pairs = _learned(totals)
    known = _shrunk(pairs, strengths)
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

    `chances` (n, n): the probability that the line beats the column. D. Balduzzi, K. Tuyls, J.
    Perolat, T. Graepel, "Re-evaluating evaluation" (2018): the equilibrium of greatest entropy of
    the game whose payoffs are the log odds. It is computed from its dual, which is smooth and
    convex.
    """
    if not len(chances):
        return np.zeros(0), np.zeros(0)
    odds = np.clip(scipy.special.logit(chances), -SURE, SURE)
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


def _learned(totals: PairTotals) -> _Pairs:
    """Estimates the spread between pairs, and how far each pair's own results count."""
    first, second = totals.cells.columns[:, :2].T
    n, k = totals.cells.names, len(totals.met)
    room = (4 * totals.chance * (1 - totals.chance)) ** 2
    noise = totals.noise
    between = SUPPOSED**2
    free = 1 - (n - 1) / max(k, 1)
    if free > 0:
        # The fit has already absorbed a part of every residual.
        seen = ((totals.won / totals.met - totals.chance) ** 2 / free - noise) / room
        for _ in range(STEPS):
            trust = free / (noise / room + between) ** 2
            prior = SUPPOSED_PAIRS / max(between, SUPPOSED**2) ** 2
            guess = (trust @ seen + prior * SUPPOSED**2) / (trust.sum() + prior)
            between = max(float(guess), MIN_SPREAD)
    spread = between * room
    through = _by_pair(first, second, n, np.ones(k), np.ones(k))
    own = spread / (spread + noise)
    return _Pairs(totals, first, second, through, own, spread, between)


def _shrunk(pairs: _Pairs, strengths: Floats) -> _Strengths:
    """Strengths shrunk as far as the spread between pairs alone would make them differ.

    Without that, an entrant that has met more losers would be expected to beat everybody that it
    has not met, even in a field where everybody beats half of the others.
    """
    totals, n = pairs.totals, len(strengths)
    precision = (ELO / PRIOR_ELO) ** 2 * np.eye(n)
    bread = scipy.linalg.inv(curvature(totals.cells, totals.expected, precision))
    law = totals.spread + scipy.sparse.diags_array(totals.met**2 * pairs.spread)
    error = bread @ (pairs.through @ law @ pairs.through.T).toarray() @ bread
    size = _spread_of(strengths, np.diag(error))
    keep = size * scipy.linalg.inv(error + size * np.eye(n)) if size > 0 else np.zeros((n, n))
    lost = np.eye(n) - keep
    return _Strengths(keep @ strengths, keep @ bread, size * lost @ lost.T)


def _spread_of(values: Floats, noise: Floats) -> float:
    """The variance of true values around 0, from estimates and the variance of each one's noise."""

    def excess(size: float) -> float:
        return float((values**2 / (noise + size)).sum()) - (len(values) - 1)

    most = float((values**2).sum())
    if len(values) < 2 or excess(MIN_SPREAD) <= 0:
        return 0.0
    return float(scipy.optimize.brentq(excess, MIN_SPREAD, most))


def _chances(pairs: _Pairs, known: _Strengths) -> Floats:
    """(n, n): the expected share of the line against the column."""
    chances, at, turned = known.guess, (pairs.first, pairs.second), (pairs.second, pairs.first)
    share = pairs.totals.won / pairs.totals.met
    chances[at] += pairs.own * (share - chances[at])
    chances[turned] = 1 - chances[at]
    return chances


def _weights(chances: Floats, met: Bools, present: Bools) -> Floats:
    """(n, n): the weight of the column in the score of the line; each line's sum is 1.

    Two entrants count as one as far as they are alike: fully if their expected shares are the same,
    not at all if these are four points apart (root of the mean square over the opponents of both).
    Noise sets shares apart, so entrants with few results count fully. Such weights are used for
    similar sequences in the analysis of sequence families (F. Morcos and others, 2011).
    """
    seen = ((met | np.eye(len(met), dtype=np.bool_)) & present[None, :]).astype(np.float64)
    common, shares = seen @ seen.T, seen * chances
    square = (shares * chances) @ seen.T
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

    The error of a score is linear in three things: the noise of the results, the distance of each
    pair from its expectation, and what the shrinkage takes from the strengths. The first two also
    move the strengths, and with them all expectations. The map of the pairs, (n, k), is never
    dense: it is `direct` plus `reach` times `through`.
    """
    totals, n = pairs.totals, len(weights)
    guess = known.guess
    slope = guess * (1 - guess) * weights
    slope[pairs.first, pairs.second] *= 1 - pairs.own
    slope[pairs.second, pairs.first] *= 1 - pairs.own
    turn = np.diag(slope.sum(axis=1)) - slope
    reach = turn @ known.reach
    mine, theirs = weights[pairs.first, pairs.second], weights[pairs.second, pairs.first]

    def direct(values: Floats) -> scipy.sparse.csr_array:
        return _by_pair(pairs.first, pairs.second, n, mine * values, theirs * values)

    def spread(
        direct: scipy.sparse.csr_array, through: scipy.sparse.csr_array, law: scipy.sparse.csr_array
    ) -> Floats:
        cross = reach @ (through @ law @ direct.T).toarray()
        whole = (direct @ law @ direct.T).toarray() + cross + cross.T
        return np.asarray(whole + reach @ (through @ law @ through.T).toarray() @ reach.T)

    noise = spread(direct(pairs.own / totals.met), pairs.through, totals.spread)
    moved = scipy.sparse.csr_array(pairs.through @ scipy.sparse.diags_array(totals.met))
    apart = spread(
        direct(pairs.own - 1), moved, scipy.sparse.csr_array(scipy.sparse.diags_array(pairs.spread))
    )
    imputed = np.where(met, 0.0, pairs.between * (4 * guess * (1 - guess)) ** 2)
    np.fill_diagonal(imputed, 0.0)
    unmet = np.diag((weights**2 * imputed).sum(axis=1)) - weights * weights.T * imputed
    return np.asarray(noise + apart + unmet + turn @ known.doubt @ turn.T)


def _by_pair(
    first: Ints, second: Ints, n: int, ahead: Floats, behind: Floats
) -> scipy.sparse.csr_array:
    """(n, k): `ahead` in the line of each pair's first, minus `behind` in that of its second."""
    ends = (np.concatenate([first, second]), np.tile(np.arange(len(first)), 2))
    return scipy.sparse.csr_array((np.concatenate([ahead, -behind]), ends), shape=(n, len(first)))


def _softmax(values: Floats) -> tuple[Floats, float]:
    """Shares in proportion to the exponentials, and the logarithm of their sum."""
    top = float(values.max())
    raised = np.exp(values - top)
    whole = float(raised.sum())
    return np.asarray(raised / whole), top + float(np.log(whole))
