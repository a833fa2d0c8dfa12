"""A sequential test on deal pairs: whether one version is better than another, and when to stop.

Knows counts of deal pairs by what the challenger took of the two bouts; plays nothing. The
likelihoods are those of the generalised test of M. Van den Bergh ("The generalized maximum
likelihood ratio for the expectation value of a distribution", "Normalized Elo practical").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final, Literal

import numpy as np
import scipy

from matchbox.league.pairwise import Floats

Scale = Literal["logistic", "normalized"]
Verdict = Literal["better", "not-better", "undecided"]

SHARES: Final[Floats] = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Shares of a deal pair: lost both, lost one and drew one, even, won one and drew one, won both."""
FLOOR: Final = 1e-3
"""The least count of pairs with a result, so that no result counts as impossible."""
MAX_BOUTS: Final = 10_000
"""A trial ends after this many bouts, unless it is given another number."""
NORMALIZED: Final = 800 / log(10)
"""The normalised Elo of a mean that is one standard deviation of a bout's share above a half."""
CLOSEST: Final = 0.01
"""The least distance of two hypotheses, in Elo."""
STEPS: Final = 50
CLOSE: Final = 1e-10


@dataclass(frozen=True, slots=True)
class Trial:
    """The hypotheses (Elo): the challenger is better by at most `lower`, or by at least `upper`."""

    lower: float = 0.0
    upper: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    scale: Scale = "logistic"
    max_bouts: int = MAX_BOUTS

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise ValueError("the lower bound of a test must lie below the upper")
        if self.upper - self.lower < CLOSEST:
            raise ValueError(f"the bounds of a test must lie {CLOSEST} Elo apart or more")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta of a test must lie between 0 and 0.5")

    @property
    def thresholds(self) -> tuple[float, float]:
        """The log likelihood ratios at which it ends: not better, and better (A. Wald, 1945)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True)
class TrialState:
    """The state of a trial: bouts so far, log likelihood ratio, verdict, and whether it is over."""

    bouts: int
    llr: float
    verdict: Verdict
    over: bool


def verdict_text(
    verdict: Literal["better", "not-better"],
    one: str,
    other: str,
    bounds: Sequence[float] | None = None,
) -> str:
    """The verdict as a sentence without a full stop.

    A test between `bounds` (Elo) that says "better" has ruled out that `one` is better by the lower
    bound at most; one that says "not-better", by the upper bound at least. `bounds` is None if
    there was no such test.
    """
    low, high = bounds or (0.0, 0.0)
    if verdict == "better":
        if low == 0:
            return f"{one} is better than {other}"
        compared = f"more than {low:g} Elo better" if low > 0 else f"less than {-low:g} Elo worse"
        return f"{one} is {compared} than {other}"
    if high < 0:
        return f"{one} is more than {-high:g} Elo worse than {other}"
    return f"{one} is not {f'{high:g} Elo ' if high else ''}better than {other}"


def trial_state(trial: Trial, pairs: Sequence[int]) -> TrialState:
    """The state of the trial after these counts of deal pairs, in the order of `SHARES`."""
    ratio = llr(pairs, trial.lower, trial.upper, scale=trial.scale)
    bouts, (low, high) = 2 * sum(pairs), trial.thresholds
    if ratio >= high:
        return TrialState(bouts, ratio, "better", True)
    if ratio <= low:
        return TrialState(bouts, ratio, "not-better", True)
    return TrialState(bouts, ratio, "undecided", bouts >= trial.max_bouts)


def llr(pairs: Sequence[float], lower: float, upper: float, *, scale: Scale = "logistic") -> float:
    """The log likelihood ratio of the upper bound to the lower; 0 without a single pair.

    Raises ValueError unless there are five counts, none below 0.
    """
    if len(pairs) != len(SHARES) or min(pairs) < 0:
        raise ValueError("a test takes five counts of deal pairs, none below 0")
    if not any(pairs):
        return 0.0
    counts = np.maximum(np.asarray(pairs, dtype=np.float64), FLOOR)
    return float(counts @ log_ratios(counts / counts.sum(), lower, upper, scale=scale))


def log_ratios(observed: Floats, lower: float, upper: float, *, scale: Scale) -> Floats:
    """What a pair of each result (5,) adds to the log likelihood ratio, if the results have the
    observed distribution (5,)."""
    if scale == "logistic":
        null, other = (with_mean(observed, expected_share(elo)) for elo in (lower, upper))
    else:
        # A pair's share has the mean of a bout's share, and 1 / sqrt(2) of its standard deviation.
        null, other = (_with_t(observed, sqrt(2) * elo / NORMALIZED) for elo in (lower, upper))
    return np.asarray(np.log(other / null))


def expected_share(elo: float) -> float:
    """The expected share of the points at this logistic Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def with_mean(observed: Floats, mean: float) -> Floats:
    """The likeliest distribution (5,) of `SHARES` with this mean, given the observed one."""
    return _with_mean_zero(observed, SHARES - mean)


def _with_mean_zero(observed: Floats, values: Floats) -> Floats:
    """The likeliest distribution in which `values` (5,) have mean 0 (Van den Bergh, 2.1).

    It is p_i = observed_i / (1 + x values_i), where x solves sum(p_i values_i) = 0.
    """
    low, high = -1 / values.max(), -1 / values.min()
    room = CLOSE * (high - low)
    solution = scipy.optimize.brentq(
        lambda x: float(observed @ (values / (1 + x * values))), low + room, high - room
    )
    return np.asarray(observed / (1 + solution * values))


def _with_t(observed: Floats, t: float) -> Floats:
    """The likeliest distribution whose mean lies t of its standard deviations above a half.

    The condition is linearised around the last solution, and solved again until it converges.
    """
    found = np.full(len(SHARES), 1 / len(SHARES))
    for _ in range(STEPS):
        mean = float(found @ SHARES)
        sd = sqrt(float(found @ (SHARES - mean) ** 2))
        linear = t * sd * (1 + ((mean - SHARES) / sd) ** 2) / 2
        last, found = found, _with_mean_zero(observed, SHARES - 0.5 - linear)
        if np.abs(found - last).max() < CLOSE:
            break
    return found
