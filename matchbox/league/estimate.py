"""The estimate after a sequential test, without the bias from stopping at a good moment.

A test that stops when it looks good has seen too good a result, so the raw Elo is biased. The
estimate is the strength at which half of all tests would have ended lower: it is median unbiased.
"Lower" is the order of D. Siegmund ("Estimation following sequential tests", 1978). From the lowest
end to the highest:

1. at the lower boundary, the early ends below the late ones;
2. between the boundaries, after the last look;
3. at the upper boundary, the late ends below the early ones.

Between two looks the log likelihood ratio moves by a normal step, and it may jump over a boundary
by any distance. The distribution of its ends is integrated from look to look (P. Armitage, C. K.
McPherson, B. C. Rowe, "Repeated significance tests on accumulating data", 1969), as A. A. Tsiatis,
G. L. Rosner and C. R. Mehta do for intervals ("Exact confidence intervals following a group
sequential test", 1984). A step's drift is a straight line in the mean share: 0 where neither
hypothesis is likelier, and as observed at the observed mean. To find that zero, the results are
tilted until they have another mean (B. Efron, "Nonparametric standard errors and confidence
intervals", 1981).

Knows counts of deal pairs and a trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Final

import numpy as np
import scipy

from matchbox.league.pairwise import Floats
from matchbox.league.sprt import (
    FLOOR,
    NORMALIZED,
    SHARES,
    Scale,
    Trial,
    expected_share,
    log_ratios,
    with_mean,
)

FARTHEST_ELO: Final = 1500.0
LEAST_SHARE: Final = 1e-4
"""The least mean share of a pair at any strength, and its distance from 1."""
NEAR: Final = 1e-4
"""A mean share nearer to the zero of the drift than this takes the line's slope from here."""
FINEST: Final = 0.03
"""Looks are joined until a step's standard deviation is this part of the gap between the
boundaries."""
DENSE: Final = 4.0
"""Points of the integral in one standard deviation of a step, on average."""
MIN_POINTS: Final = 32
MORE: Final[Floats] = np.array([2.0, 0.0, 0.0, 0.0, 2.0])
"""Two pairs lost and two won are added to the counts, for their spread alone (A. Agresti and B. A.
Coull, "Approximate is better than exact for interval estimation of binomial proportions", 1998).
Where nearly all pairs are even, the few others show too little variance, the less the earlier the
test stops."""
MAX_EXPONENT: Final = 700.0
"""The exponential of more would overflow."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much stronger the challenger is, in Elo: median unbiased, with 95% bounds."""

    elo: float
    low: float
    high: float
    p_better: float
    """The confidence that the challenger is better."""


def estimate(trial: Trial, pairs: Sequence[int], *, looks: int) -> Estimate | None:
    """The estimate from these counts, in the order of `SHARES`, at the end of a trial or before.

    `looks` is the number of interim looks at the results, the last one included, after equally many
    pairs each. Returns None if all pairs had the same result: without spread there is no estimate.
    """
    end = _End.of(trial, pairs, looks)
    if end is None:
        return None

    def above(elo: float, share: float) -> float:
        return end.lower(elo) - (1 - share)

    def bound(share: float) -> float:
        for farthest in (-FARTHEST_ELO, FARTHEST_ELO):
            if above(farthest, share) * farthest >= 0:
                return farthest
        return float(
            scipy.optimize.brentq(above, -FARTHEST_ELO, FARTHEST_ELO, args=(share,), xtol=1e-6)
        )

    low, middle, high = sorted(bound(share) for share in (0.025, 0.5, 0.975))
    return Estimate(middle, low, high, end.lower(0.0))


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """A random walk from 0 between the boundaries `a` < 0 < `b`; after its last look it is at `y`.

    Attributes:
        a, b, y: log likelihood ratios.
        step: pairs between two looks.
        zero: the share at which the drift is 0.
        slope: the drift per pair is slope * (share - zero).
        variance: that of the log likelihood ratio, per pair.
        share_sd: the standard deviation of one pair's share.
        scale: that of the trial's Elo.
        points: (g,), the nodes of the integral, between the boundaries.
        density: (looks - 1, g), of the walk at the points after each look but the last, with the
            observed drift, times the weights of the points.
    """

    a: float
    b: float
    y: float
    step: float
    zero: float
    slope: float
    variance: float
    share_sd: float
    scale: Scale
    points: Floats
    density: Floats

    @classmethod
    def of(cls, trial: Trial, pairs: Sequence[int], looks: int) -> _End | None:
        """The end of this trial; None if all pairs had the same result."""
        counts = np.asarray(pairs, dtype=np.float64)
        if np.count_nonzero(counts) < 2:
            return None
        time = float(counts.sum())
        more = np.maximum(counts + MORE, FLOOR)
        more /= more.sum()
        share, share_sd = float(counts @ SHARES) / time, _share_sd(more)
        zero = _zero(more, trial)
        there = share if abs(share - zero) > NEAR else zero + NEAR
        slope = _drift(more, there, trial) / (there - zero)
        variance = (slope * share_sd) ** 2
        (a, b), y = trial.thresholds, time * slope * (share - zero)
        steps = max(1, min(looks, int(time * variance / (FINEST * (b - a)) ** 2)))
        points, density = _walk(a, b, y / steps, sqrt(variance * time / steps), steps)
        return cls(
            a, b, y, time / steps, zero, slope, variance, share_sd, trial.scale, points, density
        )

    def drift(self, elo: float) -> float:
        """The mean of the log likelihood ratio of one pair at this strength."""
        return self.slope * (_share(elo, self.scale, self.share_sd) - self.zero)

    def lower(self, elo: float) -> float:
        """The probability that a walk at this strength ends lower than this one did."""
        drift, last = self.drift(elo), len(self.density)
        step_sd, step_mean = sqrt(self.variance * self.step), drift * self.step
        observed = self.y / (self.step * (last + 1))
        # The sum is taken over the less likely side: the likelihood ratio below may overflow, but
        # there the loss does not matter.
        sign = 1.0 if drift > observed else -1.0
        # The density with another drift is the stored one times the likelihood ratio of the two
        # drifts, which depends only on position and time.
        time = self.step * np.arange(1, last + 1)[:, None]
        log_ratio = (drift - observed) * self.points - (drift**2 - observed**2) * time / 2
        density = self.density * np.exp(np.minimum(log_ratio / self.variance, MAX_EXPONENT))
        boundary = self.a if sign > 0 else self.b

        def beyond(position: float) -> Floats:
            """(looks,): the probability that a look is the first at this position or beyond."""
            first = scipy.special.ndtr(sign * (position - step_mean) / step_sd)
            away = position - self.points - step_mean
            return np.concatenate([[first], density @ scipy.special.ndtr(sign * away / step_sd)])

        probability = float(beyond(boundary)[:-1].sum() + beyond(self.y)[-1])
        return min(max(probability if sign > 0 else 1 - probability, 0.0), 1.0)


def _walk(a: float, b: float, drift: float, step_sd: float, steps: int) -> tuple[Floats, Floats]:
    """Returns the points (g,) and the density (steps - 1, g) of an `_End`.

    `drift` and `step_sd` are the mean and standard deviation of a step. A single step has no points
    (g is 0): it may be so small that they would fill the memory.
    """
    if steps == 1:
        return np.zeros(0), np.zeros((0, 0))
    number = max(MIN_POINTS, round(DENSE * (b - a) / step_sd))
    nodes, weights = _quadrature(number)
    points, weights = (a + b) / 2 + (b - a) / 2 * nodes, (b - a) / 2 * weights
    transition = weights[:, None] * _normal((points[:, None] - points - drift) / step_sd) / step_sd
    density = np.zeros((steps - 1, number))
    for step in range(steps - 1):
        before = density[step - 1]
        first = weights * _normal((points - drift) / step_sd) / step_sd
        density[step] = transition @ before if step else first
    return points, density


@lru_cache(maxsize=64)
def _quadrature(number: int) -> tuple[Floats, Floats]:
    """The nodes between -1 and 1 and the weights of Gauss-Legendre quadrature, (number,) each."""
    return np.polynomial.legendre.leggauss(number)


def _normal(z: Floats) -> Floats:
    """The density of the standard normal distribution."""
    return np.asarray(np.exp(-(z**2) / 2) / sqrt(2 * np.pi))


def _zero(results: Floats, trial: Trial) -> float:
    """The mean share at which results that are spread like these (5,) favour neither hypothesis."""
    bracket = LEAST_SHARE, 1 - LEAST_SHARE
    return float(scipy.optimize.brentq(lambda share: _drift(results, share, trial), *bracket))


def _drift(results: Floats, share: float, trial: Trial) -> float:
    """The mean log likelihood ratio of a pair, if results (5,) are tilted to this mean share."""
    tilted = with_mean(results, min(max(share, LEAST_SHARE), 1 - LEAST_SHARE))
    return float(tilted @ log_ratios(tilted, trial.lower, trial.upper, scale=trial.scale))


def _share(elo: float, scale: Scale, share_sd: float) -> float:
    """The mean share of a pair at this strength; `share_sd` is the standard deviation."""
    if scale == "logistic":
        return expected_share(elo)
    return 0.5 + sqrt(2) * elo / NORMALIZED * share_sd


def _share_sd(results: Floats) -> float:
    """The standard deviation of a pair's share, if this is the distribution (5,) of the results."""
    return sqrt(float(results @ (SHARES - results @ SHARES) ** 2))
