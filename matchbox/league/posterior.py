"""How probable it is that an entrant is truly the best, or better than another.

Knows estimates and their covariance; does not know where they come from.

The best of ten equals is the luckiest of ten, so its estimate flatters it. Therefore the true
values are taken to come from one normal law around a common mean, whose spread is learned from the
estimates (C. N. Morris, "Parametric empirical Bayes inference", 1983), and the estimates are shrunk
accordingly. The spread is a lower bound with 90% certainty (W. Viechtbauer's Q-profile, 2007, with
the degrees of freedom of G. E. P. Box, 1954): equals are seldom told apart, and a probability says
too little rather than too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

import numpy as np
import scipy

from matchbox.league.comparisons import Bools, Floats, Ints

DRAWS: Final = 4096
CARE: Final = 0.9
"""The certainty with which the spread of true values is at least the one that is used."""
LARGE_FIELD: Final = 128
"""In larger fields the estimates' errors are taken to be independent."""


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The knowledge about n true values, in units of their spread.

    Attributes:
        means: (n,), around a common mean.
        covariance: (n, n).
        freedom: (n,), the degrees of freedom of Student's t; infinite for a normal law.
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
    """Returns the law of the true values, given these estimates (n,) and their covariance (n, n).

    Their spread is learned from the `settled` ones, or from all if fewer than two are settled.
    `freedom` (n,) is that of each estimate's error; None if the errors are known to be normal.
    """
    n = len(means)
    freedom = np.full(n, inf) if freedom is None else freedom
    teachers = np.ones(n, dtype=np.bool_) if settled is None or settled.sum() < 2 else settled
    if n > LARGE_FIELD:
        return _of_independent(means, np.diag(covariance), teachers, freedom)
    middle = np.eye(n) - teachers / max(teachers.sum(), 1)
    around, error = middle @ means, middle @ covariance @ middle.T
    part = error[np.ix_(teachers, teachers)]
    size = _spread_of(
        around[teachers],
        float(np.trace(part)),
        float((part**2).sum()),
        float(freedom[teachers].min(initial=inf)),
    )
    keep = scipy.linalg.inv(error + _least(size, float(np.trace(error))) * np.eye(n))
    return Posterior(sqrt(size) * keep @ around, keep @ error, freedom)


def _of_independent(means: Floats, variance: Floats, teachers: Bools, freedom: Floats) -> Posterior:
    """The posterior for independent errors with this variance (n,), without a product of matrices.

    Around the teachers' mean, with weights t, the errors have the covariance D - a 1' - 1 a' +
    c 1 1', where a = D t and c = t' D t. The inverse is that of M. A. Woodbury ("Inverting modified
    matrices", 1950).
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
    size = _spread_of(
        around[teachers],
        float(own.sum()),
        off + float((own**2 - beside**2).sum()),
        float(freedom[teachers].min(initial=inf)),
    )
    least = _least(size, float((variance - 2 * shared + common).sum()))
    both = variance + least
    sides = np.stack([np.ones(len(means)), shared])
    near = sides / both
    inner = np.linalg.inv(np.array([[0.0, -1.0], [-1.0, -common]]) + sides @ near.T)
    kept = around / both - near.T @ (inner @ (near @ around))
    covariance = near.T @ (least * inner @ near)
    covariance[np.diag_indices_from(covariance)] += variance / both
    return Posterior(sqrt(size) * kept, covariance, freedom)


def _least(size: float, whole: float) -> float:
    """That spread, or the least one with which the errors' matrix still has an inverse."""
    return max(size, 1e-9 * whole + 1e-300)


def _spread_of(values: Floats, whole: float, square: float, freedom: float) -> float:
    """A lower bound of the variance of the true values; `CARE` is its certainty.

    `whole` is the trace of the errors' covariance, `square` the sum of its squared entries.
    """
    if len(values) < 2:
        return 0.0
    if whole <= 0:
        return float((values**2).sum()) / (len(values) - 1)
    degrees = whole**2 / square
    limit = (
        scipy.special.chdtri(degrees, 1 - CARE) / degrees
        if freedom == inf
        else scipy.special.fdtri(degrees, degrees * freedom, CARE)
    )
    return max(float((values**2).sum()) / float(limit) - whole, 0.0) / (len(values) - 1)
