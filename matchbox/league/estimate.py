"""The estimate after a sequential test, without the bias from stopping at a good moment.

A test that stops when it looks good has seen too good a result, so the raw Elo is biased. This
module takes the test for a Brownian motion between two walls. The estimate is the strength at which
half of all tests would have ended lower; it is not biased. The order of the ends is that of D.
Siegmund ("Estimation following sequential tests", 1978): early at the lower wall, late there, late
at the upper wall, early there. The motion has the drift and the spread of the log likelihood ratio,
to the second order (M. Van den Bergh, "A practical introduction to the GSPRT"); the variance is
taken about the hypotheses, which is also right far from them. Knows counts of deal pairs and a
trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, pi, sqrt
from typing import Final

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from matchbox.league.comparisons import Floats
from matchbox.league.sprt import FLOOR, NORMALIZED, SHARES, Trial, llr

FARTHEST_ELO: Final = 1500.0
FAR: Final = 2.0
"""At this many widths from the middle of the two hypotheses, the ratio's own drift is used."""
SHORT: Final = 1e-2
"""If the spread is this small against the gap of the walls, only one wall can be met."""
STEEP: Final = 15.0
TERMS: Final = 200
"""The terms of the series that are used: from `SHORT` on, later terms are below 1e-9."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much stronger the challenger is, in Elo: median unbiased, with 95% bounds."""

    elo: float
    low: float
    high: float
    p_better: float
    """The confidence that the challenger is better."""


def estimate(trial: Trial, pairs: Sequence[int]) -> Estimate | None:
    """The estimate from these counts, in the order of `SHARES`, at the end of a trial or before.

    Returns None if all pairs had the same result: without spread there is no estimate.
    """
    end = _End.of(trial, pairs)
    if end is None:
        return None

    def above(elo: float, share: float) -> float:
        return end.lower(elo) - (1 - share)

    def bound(share: float) -> float:
        for farthest in (-FARTHEST_ELO, FARTHEST_ELO):
            if above(farthest, share) * farthest >= 0:
                return farthest
        return float(brentq(above, -FARTHEST_ELO, FARTHEST_ELO, args=(share,), xtol=1e-6))

    low, middle, high = sorted(bound(share) for share in (0.025, 0.5, 0.975))
    return Estimate(middle, low, high, end.lower(0.0))


@dataclass(frozen=True, slots=True)
class _End:
    """A motion from 0, between the walls `a` < 0 < `b`, that is at `y` after `time` pairs."""

    a: float
    b: float
    time: float
    y: float
    middle: float
    """The share in the middle of the two hypotheses, where the drift is 0."""
    slope: float
    """The drift per share above the middle."""
    spread: float
    """Variance per pair."""
    deviation: float
    """The standard deviation of one pair's share."""
    normalized: bool

    @classmethod
    def of(cls, trial: Trial, pairs: Sequence[int]) -> _End | None:
        """The end of this trial; if it jumped over a wall, it reached the wall somewhat earlier."""
        counts = np.asarray(pairs, dtype=np.float64)
        if np.count_nonzero(counts) < 2:
            return None
        seen = np.maximum(counts, FLOOR)
        deviation = _deviation(seen / seen.sum())
        null, other = (_share(elo, trial.scale, deviation) for elo in (trial.lower, trial.upper))
        a, b = trial.thresholds
        reached = llr(pairs, trial.lower, trial.upper, scale=trial.scale)
        y = min(max(reached, a), b)
        middle = (null + other) / 2
        away = float(counts @ SHARES / counts.sum()) - middle
        slope = (other - null) / (deviation**2 + away**2)
        if abs(away) > FAR * (other - null):
            slope = reached / (float(counts.sum()) * away)
        return cls(
            a=a,
            b=b,
            time=float(counts.sum()) * (y / reached if reached else 1.0),
            y=y,
            middle=middle,
            slope=slope,
            spread=(slope * deviation) ** 2,
            deviation=deviation,
            normalized=trial.scale == "normalized",
        )

    def lower(self, elo: float) -> float:
        """The probability that a motion at this strength ends lower than this one did."""
        share = _share(elo, "normalized" if self.normalized else "logistic", self.deviation)
        drift = self.slope * (share - self.middle)
        gap, gamma = self.b - self.a, drift / self.spread
        if self.spread * self.time / gap**2 < SHORT or abs(gamma * gap) > STEEP:
            chance = self._near(drift, gamma)
        else:
            chance = self._series(gamma)
        return min(max(chance, 0.0), 1.0)

    def _series(self, gamma: float) -> float:
        """The motion's law as a series of waves between two absorbing walls."""
        gap, start, y = self.b - self.a, -self.a, self.y - self.a
        wave = pi * np.arange(1, TERMS + 1) / gap
        decay = np.exp(-self.spread * self.time * (wave**2 + gamma**2) / 2)
        # The part that is still between the walls, from the lower wall to y.
        inside = (gamma * np.sin(wave * y) - wave * np.cos(wave * y)) / (gamma**2 + wave**2)
        left = float(2 / gap * (decay * np.sin(wave * start) * inside).sum())
        # The part that has met the lower wall: in the end, less the part still to come.
        met = (gap - start) / gap
        if abs(gamma * gap) > 1e-8:
            met = expm1(2 * gamma * (gap - start)) / expm1(2 * gamma * gap)
        return met + exp(gamma * (y - start)) * left

    def _near(self, drift: float, gamma: float) -> float:
        """The same with only the nearest reflection in each wall."""
        wide, went = sqrt(self.spread * self.time), drift * self.time
        below = _tilted(2 * gamma * self.a, (2 * self.a - self.y + went) / wide)
        above = _tilted(2 * gamma * self.b, (self.y - went - 2 * self.b) / wide)
        return float(ndtr((self.y - went) / wide)) + below - above


def _share(elo: float, scale: str, deviation: float) -> float:
    """The mean share of a pair at this strength."""
    if scale == "logistic":
        return 1 / (1 + 10 ** (-elo / 400))
    return 0.5 + sqrt(2) * elo / NORMALIZED * deviation


def _deviation(seen: Floats) -> float:
    mean = float(seen @ SHARES)
    return sqrt(float(seen @ (SHARES - mean) ** 2))


def _tilted(power: float, z: float) -> float:
    """exp(power) times the normal law at z, where each factor alone may overflow."""
    return exp(min(power + float(log_ndtr(z)), 0.0))
