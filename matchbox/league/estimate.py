"""The estimate after a sequential test, without the bias from stopping at a good moment.

A test that stops when it looks good has seen too good a result, so the raw Elo is biased. The
estimate is the strength at which half of all tests would have ended lower; it is not biased. The
order of the ends is that of D. Siegmund ("Estimation following sequential tests", 1978): early at
the lower wall, late there, late at the upper wall, early there. Between two looks the log
likelihood ratio moves by a normal step, and it may jump over a wall by any distance; the law of its
ends is integrated from look to look (P. Armitage, C. K. McPherson, B. C. Rowe, "Repeated
significance tests on accumulating data", 1969), as A. A. Tsiatis, G. L. Rosner and C. R. Mehta do
for intervals ("Exact confidence intervals following a group sequential test", 1984). A step has the
drift and the spread of the log likelihood ratio, to the second order (M. Van den Bergh, "A
practical introduction to the GSPRT"); the variance is taken about the hypotheses, which is also
right far from them. Knows counts of deal pairs and a trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Final

import numpy as np
import scipy

from matchbox.league.comparisons import Floats
from matchbox.league.sprt import FLOOR, NORMALIZED, SHARES, Scale, Trial, expected_share, llr

FARTHEST_ELO: Final = 1500.0
FAR: Final = 2.0
"""At this many widths from the middle of the two hypotheses, the ratio's own drift is used."""
FINEST: Final = 0.03
"""Looks are taken together until a step's deviation is this part of the gap between the walls."""
DENSE: Final = 4.0
"""Points of the integral in one deviation of a step, on average."""
MIN_POINTS: Final = 32
MORE: Final[Floats] = np.array([2.0, 0.0, 0.0, 0.0, 2.0])
"""Two pairs lost and two won are added to the counts (A. Agresti and B. A. Coull, "Approximate is
better than exact for interval estimation of binomial proportions", 1998). Where nearly all pairs
are even, the few others show too little spread, the less the earlier the test stops."""
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

    `looks` is how often the results were looked at, the last time included, after equally many
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
    """A walk from 0 between the walls `a` < 0 < `b`, that is at `y` after its last look.

    Attributes:
        a, b, y: log likelihood ratios.
        step: pairs between two looks.
        middle: the share in the middle of the two hypotheses, where the drift is 0.
        slope: the drift per share above the middle.
        spread: the variance per pair.
        deviation: the standard deviation of one pair's share.
        scale: that of the trial's Elo.
        points: (g,) places between the walls.
        inside: (looks - 1, g), the walk's density at the points after each look but the last, times
            the points' weights, with the drift that was seen.
    """

    a: float
    b: float
    y: float
    step: float
    middle: float
    slope: float
    spread: float
    deviation: float
    scale: Scale
    points: Floats
    inside: Floats

    @classmethod
    def of(cls, trial: Trial, pairs: Sequence[int], looks: int) -> _End | None:
        """The end of this trial; None if all pairs had the same result."""
        counts = np.asarray(pairs, dtype=np.float64)
        if np.count_nonzero(counts) < 2:
            return None
        time = float(counts.sum())
        more = counts + MORE
        seen = np.maximum(more, FLOOR)
        deviation = _deviation(seen / seen.sum())
        null, other = (_share(elo, trial.scale, deviation) for elo in (trial.lower, trial.upper))
        a, b = trial.thresholds
        y = llr(more.tolist(), trial.lower, trial.upper, scale=trial.scale)
        middle = (null + other) / 2
        away = float(counts @ SHARES / time) - middle
        slope = (other - null) / (deviation**2 + away**2)
        if abs(away) > FAR * (other - null):
            slope = y / (time * away)
        spread = (slope * deviation) ** 2
        steps = max(1, min(looks, int(time * spread / (FINEST * (b - a)) ** 2)))
        points, inside = _walk(a, b, y / steps, sqrt(spread * time / steps), steps)
        return cls(
            a, b, y, time / steps, middle, slope, spread, deviation, trial.scale, points, inside
        )

    def lower(self, elo: float) -> float:
        """The probability that a walk at this strength ends lower than this one did."""
        share = _share(elo, self.scale, self.deviation)
        drift, last = self.slope * (share - self.middle), len(self.inside)
        wide, went = sqrt(self.spread * self.step), drift * self.step
        seen = self.y / (self.step * (last + 1))
        # The sum is taken over the less likely side: the tilt below may overflow, but there the
        # loss does not matter.
        sign = 1.0 if drift > seen else -1.0
        # Another drift tilts the density. The tilt depends only on place and time.
        time = self.step * np.arange(1, last + 1)[:, None]
        power = (drift - seen) * self.points - (drift**2 - seen**2) * time / 2
        inside = self.inside * np.exp(np.minimum(power / self.spread, MAX_EXPONENT))
        wall = self.a if sign > 0 else self.b

        def beyond(place: float) -> Floats:
            """(looks,): the probability that a step from inside ends there or beyond."""
            first = scipy.special.ndtr(sign * (place - went) / wide)
            rest = inside @ scipy.special.ndtr(sign * (place - self.points - went) / wide)
            return np.concatenate([[first], rest])

        chance = float(beyond(wall)[:-1].sum() + beyond(self.y)[-1])
        return min(max(chance if sign > 0 else 1 - chance, 0.0), 1.0)


def _walk(a: float, b: float, drift: float, wide: float, steps: int) -> tuple[Floats, Floats]:
    """The points between the walls, and the density there after each step but the last, times the
    points' weights; `drift` and `wide` are a step's mean and deviation.

    There are none for a single step, which may be so small that they would fill the memory.
    """
    if steps == 1:
        return np.zeros(0), np.zeros((0, 0))
    number = max(MIN_POINTS, round(DENSE * (b - a) / wide))
    at, weights = _quadrature(number)
    points, weights = (a + b) / 2 + (b - a) / 2 * at, (b - a) / 2 * weights
    move = weights[:, None] * _density((points[:, None] - points - drift) / wide) / wide
    inside = np.zeros((steps - 1, number))
    for at_step in range(steps - 1):
        before = inside[at_step - 1]
        fresh = weights * _density((points - drift) / wide) / wide
        inside[at_step] = move @ before if at_step else fresh
    return points, inside


@lru_cache(maxsize=64)
def _quadrature(number: int) -> tuple[Floats, Floats]:
    """The places between -1 and 1, and their weights, of Gauss and Legendre's integral."""
    return np.polynomial.legendre.leggauss(number)


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-(z**2) / 2) / sqrt(2 * np.pi))


def _share(elo: float, scale: Scale, deviation: float) -> float:
    """The mean share of a pair at this strength."""
    if scale == "logistic":
        return expected_share(elo)
    return 0.5 + sqrt(2) * elo / NORMALIZED * deviation


def _deviation(seen: Floats) -> float:
    mean = float(seen @ SHARES)
    return sqrt(float(seen @ (SHARES - mean) ** 2))
