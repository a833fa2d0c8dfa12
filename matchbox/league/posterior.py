"""How probable it is that an entrant is truly the best, or better than another.

Knows estimates and their covariance; does not know where they come from.

The best of ten equals is the luckiest of ten, so its estimate flatters it. Therefore the true
values are taken to come from one normal distribution around a common mean. Its variance is learned
from the estimates (C. N. Morris, "Parametric empirical Bayes inference", 1983), and the estimates
are shrunk accordingly. The variance that is used is a lower bound with 90% confidence (W.
Viechtbauer's Q-profile, 2007, with the degrees of freedom of G. E. P. Box, 1954). So equals are
seldom told apart, and a probability is too close to one half rather than too far from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

import numpy as np
import scipy

from matchbox.league.pairwise import Bools, Floats, Ints

DRAWS: Final = 4096
CONFIDENCE: Final = 0.9
"""The confidence that the true values' variance is at least the one that is used."""
LARGE_FIELD: Final = 128
"""In larger fields the estimates' errors are taken to be independent."""


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The distribution of n true values, in units of their standard deviation.

    Attributes:
        means: (n,), around a common mean.
        covariance: (n, n).
        freedom: (n,), the degrees of freedom of Student's t; infinite for a normal distribution.
    """

    means: Floats
    covariance: Floats
    freedom: Floats

    def p_better(self, i: int, j: int) -> float:
        """The probability that the i-th is truly better than the j-th."""
        square = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        gap, error = float(self.means[i] - self.means[j]), sqrt(max(float(square), 0.0))
        if error == 0:
            return 0.5 if gap == 0 else float(gap > 0)
        freedom = float(min(self.freedom[i], self.freedom[j]))
        return float(
            scipy.special.ndtr(gap / error)
            if freedom == inf
            else scipy.special.stdtr(freedom, gap / error)
        )

    def p_champion(self, able: list[int]) -> Floats:
        """The probability of each of these, by number, that it is truly the best of them."""
        if not able:
            return np.zeros(0)
        rng = np.random.Generator(np.random.PCG64(0))
        size = max(float(np.diag(self.covariance)[able].mean()), 1e-12)
        # A common shift changes no difference, and gives the matrix a Cholesky factor.
        part = self.covariance[np.ix_(able, able)] + size * (1 + 1e-9 * np.eye(len(able)))
        drawn = rng.standard_normal((DRAWS // 2, len(able))) @ np.linalg.cholesky(part).T
        freedom = float(self.freedom[able].min())
        if freedom < inf:
            drawn *= np.sqrt(freedom / rng.chisquare(freedom, (DRAWS // 2, 1)))
        # Each draw's mirror image is as probable; so two equals have the same figure.
        drawn = np.concatenate([drawn, -drawn])
        best: Ints = np.argmax(self.means[able] + drawn, axis=1)
        return np.bincount(best, minlength=len(able)) / DRAWS


def posterior(
    means: Floats,
    covariance: Floats,
    *,
    settled: Bools | None = None,
    freedom: Floats | None = None,
) -> Posterior:
    """Returns the distribution of the true values, given estimates (n,) and their covariance (n,
    n).

    Let x be the estimates around their mean, E their covariance, and s the variance of the true
    values. In units of sqrt(s) the true values have the mean sqrt(s) (E + s 1)^-1 x and the
    covariance (E + s 1)^-1 E. The variance s is learned from the `settled` ones, or from all if
    fewer than two are settled. `freedom` (n,) is that of each estimate's error; None if the errors
    are known to be normal.
    """
    n = len(means)
    freedom = np.full(n, inf) if freedom is None else freedom
    teachers = np.ones(n, dtype=np.bool_) if settled is None or settled.sum() < 2 else settled
    if n > LARGE_FIELD:
        return _of_independent(means, np.diag(covariance), teachers, freedom)
    middle = np.eye(n) - teachers / max(teachers.sum(), 1)
    around, error = middle @ means, middle @ covariance @ middle.T
    part = error[np.ix_(teachers, teachers)]
    variance = _least_variance(
        around[teachers],
        float(np.trace(part)),
        float((part**2).sum()),
        float(freedom[teachers].min(initial=inf)),
    )
    keep = scipy.linalg.inv(
        error + _at_least_invertible(variance, float(np.trace(error))) * np.eye(n)
    )
    return Posterior(sqrt(variance) * keep @ around, keep @ error, freedom)


def _of_independent(means: Floats, variance: Floats, teachers: Bools, freedom: Floats) -> Posterior:
    """The posterior for independent errors with this variance (n,), without a product of matrices.

    Around the teachers' mean, with weights t, the errors have the covariance D - a 1' - 1 a' + c 1
    1', where D is the diagonal matrix of `variance`, a = D t and c = t' D t. The inverse is that of
    M. A. Woodbury ("Inverting modified matrices", 1950).
    """
    weights = teachers / teachers.sum()
    around, shared = means - weights @ means, variance * weights
    common = float(weights @ shared)
    of_mean, number = shared[teachers], int(teachers.sum())
    beside = common - 2 * of_mean
    own = variance[teachers] + beside
    total = float(of_mean.sum())
    off = (number * common) ** 2 + 2 * number * float(of_mean @ of_mean) + 2 * total**2
    off -= 4 * number * common * total
    true_variance = _least_variance(
        around[teachers],
        float(own.sum()),
        off + float((own**2 - beside**2).sum()),
        float(freedom[teachers].min(initial=inf)),
    )
    least = _at_least_invertible(true_variance, float((variance - 2 * shared + common).sum()))
    both = variance + least
    sides = np.stack([np.ones(len(means)), shared])
    near = sides / both
    inner = np.linalg.inv(np.array([[0.0, -1.0], [-1.0, -common]]) + sides @ near.T)
    kept = around / both - near.T @ (inner @ (near @ around))
    covariance = near.T @ (least * inner @ near)
    covariance[np.diag_indices_from(covariance)] += variance / both
    return Posterior(sqrt(true_variance) * kept, covariance, freedom)


def _at_least_invertible(variance: float, trace: float) -> float:
    """That variance, or the least one with which the errors' matrix still has an inverse."""
    return max(variance, 1e-9 * trace + 1e-300)


def _least_variance(values: Floats, trace: float, square: float, freedom: float) -> float:
    """A lower bound of the variance of the true values, with the confidence `CONFIDENCE`.

    `trace` is that of the errors' covariance, `square` the sum of its squared entries. The sum of
    squared values is taken to be (trace + (n - 1) variance) chi^2 / d with d = trace^2 / square
    degrees of freedom (Box), or F distributed if the errors' own `freedom` is finite.
    """
    if len(values) < 2:
        return 0.0
    if trace <= 0:
        return float((values**2).sum()) / (len(values) - 1)
    degrees = trace**2 / square
    limit = (
        scipy.special.chdtri(degrees, 1 - CONFIDENCE) / degrees
        if freedom == inf
        else scipy.special.fdtri(degrees, degrees * freedom, CONFIDENCE)
    )
    return max(float((values**2).sum()) / float(limit) - trace, 0.0) / (len(values) - 1)
