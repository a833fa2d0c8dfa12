"""Rank ranges: which entrants are surely above which others.

Knows estimates and their covariance; does not know where they come from.

The draws here compute an integral over a normal distribution: their generator has a fixed seed and
does not affect any match.
"""

from __future__ import annotations

from math import erfc, inf, sqrt
from typing import Final

import numpy as np
import scipy

from matchbox.league.pairwise import Bools, Floats, Ints

LEVEL: Final = 0.95
DRAWS: Final = 4096
SAME: Final = 1e-6
"""A difference below this never counts as sure, even if the standard errors are tiny."""
ENOUGH_DEALS: Final = 20
"""An entrant with fewer deals is provisional. Scores, or differences between two entrants, that are
the same on fewer deals do not tell their spread."""
DRAWN_FIELD: Final = 128
"""Larger fields use Šidák's bound instead of draws; it is never too narrow."""
BLOCK_ROWS: Final = 256
"""How many entrants are compared with all others in one step; this bounds the memory."""


def rank_ranges(
    means: Floats,
    covariance: Floats,
    *,
    deals: Ints | None = None,
    unknown: Bools | None = None,
) -> list[tuple[int, int]]:
    """The best and worst rank of each entrant; with probability LEVEL all of them are right.

    `means` is (n,), `covariance` (n, n). Two entrants differ if their difference, in standard
    errors, exceeds the quantile of the greatest such difference in a field of equals. An entrant
    that is `unknown` (n,) differs from nobody.

    `deals` (n,) is given if the covariance is estimated from few deals. A pair's errors then follow
    Student's t by the fewer deals of the two, with Šidák's bound for the quantile. If their
    difference was the same on all of fewer than ENOUGH_DEALS deals, they do not differ.
    """
    n = len(means)
    if deals is None:
        quantiles = np.full(n, critical(covariance))
    else:
        quantiles = _sidak(n, np.maximum(deals - 1, 1))
    above, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    everybody = np.arange(n)
    for start in range(0, n, BLOCK_ROWS):
        block = everybody[start : start + BLOCK_ROWS, None]
        errors = standard_errors(covariance, block, everybody)
        critical_values = np.maximum(quantiles[block], quantiles)
        sure = means[block] - means > np.maximum(critical_values * errors, SAME)
        if deals is not None:
            sure &= (errors > SAME) | (np.minimum(deals[block], deals) >= ENOUGH_DEALS)
        if unknown is not None:
            sure &= ~(unknown[block] | unknown)
        above += sure.sum(axis=0)
        below[start : start + BLOCK_ROWS] = sure.sum(axis=1)
    return [(1 + int(a), n - int(b)) for a, b in zip(above, below, strict=True)]


def standard_errors(covariance: Floats, one: Ints, other: Ints) -> Floats:
    """The standard errors of the differences between these entrants, by their numbers.

    The two arrays have one shape, or shapes that broadcast.
    """
    variance = np.diag(covariance)
    square = variance[one] + variance[other] - covariance[one, other] - covariance[other, one]
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def critical(covariance: Floats) -> float:
    """The critical value of the greatest difference between two entrants, in standard errors, if
    all are equally strong."""
    n = len(covariance)
    if n < 2:
        return 0.0
    if n > DRAWN_FIELD:
        return float(_sidak(n, inf))
    errors = standard_errors(covariance, np.arange(n)[:, None], np.arange(n))
    drawn = _draws(covariance)
    greatest = np.zeros(DRAWS)
    for one in range(n - 1):
        apart = np.abs(drawn[:, one + 1 :] - drawn[:, one, None])
        error = errors[one, one + 1 :]
        known = error > 0
        if known.any():
            greatest = np.maximum(greatest, (apart[:, known] / error[known]).max(axis=1))
    return float(np.quantile(greatest, LEVEL))


def superiority(difference: float, error: float) -> float:
    """Phi(difference / error): the probability that the true difference is above 0."""
    if error == 0:
        return 0.5 if difference == 0 else float(difference > 0)
    return 0.5 * erfc(-difference / error / sqrt(2))


def _sidak(n: int, freedom: Ints | float) -> Floats:
    """Šidák's bound of that quantile for n entrants, of the shape of `freedom`: by Student's t, or
    by the normal law if the freedom is infinite. It is never too narrow."""
    pairs = max(n * (n - 1) / 2, 1)
    return np.asarray(-scipy.special.stdtrit(freedom, (1 - LEVEL ** (1 / pairs)) / 2))


def _draws(covariance: Floats) -> Floats:
    """(DRAWS, n): normal draws with this covariance, up to a shift that each draw has of its
    own."""
    n = len(covariance)
    size = max(float(np.trace(covariance)) / n, 1e-12)
    # A common shift changes no difference, and gives the matrix a Cholesky factor.
    factor = np.linalg.cholesky(covariance + size * (1 + 1e-9 * np.eye(n)))
    normal = np.random.Generator(np.random.PCG64(0)).standard_normal((DRAWS, n))
    return np.asarray(normal @ factor.T)
