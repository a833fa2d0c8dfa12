"""Rank ranges: which entrants are surely above which others.

Knows estimates and their covariance; does not know where they come from.

The draws here compute an integral over a normal distribution: their generator has a fixed seed and
does not affect any match.
"""

from __future__ import annotations

from math import erfc, sqrt
from typing import Final

import numpy as np
import scipy

from matchbox.league.comparisons import Bools, Floats, Ints

LEVEL: Final = 0.95
DRAWS: Final = 4096
SAME: Final = 1e-6
"""A difference below this never counts as sure, however small the standard errors are."""
DRAWN_FIELD: Final = 128
"""Larger fields use Šidák's bound instead of draws; it is never too narrow."""
_AT_ONCE: Final = 256
"""How many entrants are compared with all others at a time; this bounds the memory."""


def rank_ranges(
    means: Floats, covariance: Floats, *, widen: Floats | None = None, unknown: Bools | None = None
) -> list[tuple[int, int]]:
    """The best and worst rank that each entrant may hold; all hold at once with certainty LEVEL.

    `means` is (n,), `covariance` (n, n). Two entrants differ if their difference, in standard
    errors, exceeds the quantile of the greatest such difference in a field of equals. For a pair,
    the greater `widen` (n,) of the two multiplies that quantile. An entrant that is `unknown` (n,)
    differs from nobody.
    """
    n, quantile = len(means), critical(covariance)
    wide = np.ones(n) if widen is None else widen
    above, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    everybody = np.arange(n)
    for start in range(0, n, _AT_ONCE):
        some = everybody[start : start + _AT_ONCE, None]
        errors = standard_errors(covariance, some, everybody)
        times = quantile * np.maximum(wide[some], wide)
        sure = means[some] - means > np.maximum(times * errors, SAME)
        if unknown is not None:
            sure &= ~(unknown[some] | unknown)
        above += sure.sum(axis=0)
        below[start : start + _AT_ONCE] = sure.sum(axis=1)
    return [(1 + int(a), n - int(b)) for a, b in zip(above, below, strict=True)]


def standard_errors(covariance: Floats, one: Ints, other: Ints) -> Floats:
    """The standard errors of the differences between these entrants, by their numbers.

    The two arrays are of one shape, or of shapes that fit together as numpy's do.
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
        pairs = n * (n - 1) / 2
        return float(-scipy.special.ndtri((1 - LEVEL ** (1 / pairs)) / 2))
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


def _draws(covariance: Floats) -> Floats:
    """(DRAWS, n) deviations; only their differences mean anything."""
    n = len(covariance)
    size = max(float(np.trace(covariance)) / n, 1e-12)
    # A common shift changes no difference, and gives the matrix a Cholesky factor.
    factor = np.linalg.cholesky(covariance + size * (1 + 1e-9 * np.eye(n)))
    normal = np.random.Generator(np.random.PCG64(0)).standard_normal((DRAWS, n))
    return np.asarray(normal @ factor.T)
