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

from matchbox.league.comparisons import Floats

Scale = Literal["logistic", "normalized"]
Verdict = Literal["better", "not-better", "undecided"]

SHARES: Final[Floats] = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Shares of a deal pair: lost both, lost one and drew one, even, won one and drew one, won both."""
FLOOR: Final = 1e-3
"""The least count of pairs with one result, so that no result counts as impossible."""
CAP_GAMES: Final = 10_000
NORMALIZED: Final = 800 / log(10)
"""Normalised Elo for one standard deviation of a single bout."""
CLOSEST: Final = 0.01
"""The least distance of two hypotheses, in Elo."""
STEPS: Final = 50
CLOSE: Final = 1e-10


@dataclass(frozen=True, slots=True)
class Trial:
    """The hypotheses (Elo): the challenger is better by `lower` at most, by `upper` at least."""

    lower: float = 0.0
    upper: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    scale: Scale = "logistic"
    cap_games: int = CAP_GAMES

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

    games: int
    llr: float
    verdict: Verdict
    over: bool


def trial_state(trial: Trial, pairs: Sequence[int]) -> TrialState:
    """The state of the trial after these counts of deal pairs, in the order of `SHARES`."""
    ratio = llr(pairs, trial.lower, trial.upper, scale=trial.scale)
    games, (low, high) = 2 * sum(pairs), trial.thresholds
    if ratio >= high:
        return TrialState(games, ratio, "better", True)
    if ratio <= low:
        return TrialState(games, ratio, "not-better", True)
    return TrialState(games, ratio, "undecided", games >= trial.cap_games)


def llr(pairs: Sequence[float], lower: float, upper: float, *, scale: Scale = "logistic") -> float:
    """The log likelihood ratio of the upper bound to the lower; 0 without a single pair.

    Raises ValueError unless there are five counts, none below 0.
    """
    if len(pairs) != len(SHARES) or min(pairs) < 0:
        raise ValueError("a test takes five counts of deal pairs, none below 0")
    if not any(pairs):
        return 0.0
    counts = np.maximum(np.asarray(pairs, dtype=np.float64), FLOOR)
    seen = counts / counts.sum()
    if scale == "logistic":
        null, other = (_with_mean(seen, expected_share(elo)) for elo in (lower, upper))
    else:
        # A pair's share has the mean of a bout's share, and 1 / sqrt(2) of its deviation.
        null, other = (_with_t(seen, sqrt(2) * elo / NORMALIZED) for elo in (lower, upper))
    return float(counts @ np.log(other / null))


def expected_share(elo: float) -> float:
    """The expected share of the points at this logistic Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def _with_mean(seen: Floats, mean: float) -> Floats:
    """The likeliest distribution with this mean, given the observed one, `seen`."""
    return _tilted(seen, SHARES - mean)


def _tilted(seen: Floats, values: Floats) -> Floats:
    """The likeliest distribution in which `values` have mean 0 (Van den Bergh, 2.1)."""
    low, high = -1 / values.max(), -1 / values.min()
    room = CLOSE * (high - low)
    slack = scipy.optimize.brentq(
        lambda x: float(seen @ (values / (1 + x * values))), low + room, high - room
    )
    return np.asarray(seen / (1 + slack * values))


def _with_t(seen: Floats, t: float) -> Floats:
    """The likeliest distribution whose mean lies t of its deviations above a half.

    The condition is linearised around the last solution, and solved again until it converges.
    """
    at = np.full(len(SHARES), 1 / len(SHARES))
    for _ in range(STEPS):
        mean = float(at @ SHARES)
        deviation = sqrt(float(at @ (SHARES - mean) ** 2))
        curve = t * deviation * (1 + ((mean - SHARES) / deviation) ** 2) / 2
        last, at = at, _tilted(seen, SHARES - 0.5 - curve)
        if np.abs(at - last).max() < CLOSE:
            break
    return at
