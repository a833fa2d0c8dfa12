"""Intervals for counts and means. Pure functions of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import sqrt
from typing import Final

Interval = tuple[float, float]

Z95: Final = 1.959963984540054
"""The normal quantile of a 95% interval."""
_RESAMPLES: Final = 2000
"""The number of samples that `bootstrap` draws."""


def wilson(share: float, n: int, variance: float | None = None) -> Interval:
    """Wilson's 95% score interval for a share of n trials; (0, 1) if n is 0.

    `variance` is the variance of one trial, for trials with results between 0 and 1. Without it, a
    draw is half a success: the interval is then a little too wide, never too narrow (Wilson 1927).
    """
    if n == 0:
        return 0.0, 1.0
    if variance is None:
        variance = share * (1 - share)
    z = Z95
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    spread = z / (1 + z * z / n) * sqrt(variance / n + z * z / (4 * n * n))
    return max(0.0, middle - spread), min(1.0, middle + spread)


def is_lopsided(share: float, interval: Interval) -> bool:
    """Whether "share ± half the width" would leave 0 to 1, or misstate an end by a percentage point
    or by a quarter of that half."""
    low, high = interval
    half, shift = (high - low) / 2, abs((low + high) / 2 - share)
    return shift >= min(0.01, half / 4) > 0 or not half <= share <= 1 - half


def mean_interval(values: Sequence[float]) -> tuple[float, Interval]:
    """The mean of independent shares, each from 0 to 1, and Wilson's interval with their variance.

    So a few equal values do not look certain. Raises ValueError if there are no values.
    """
    return grouped_interval([(value, 1, 1) for value in values])


def grouped_interval(groups: Sequence[tuple[float, int, int]]) -> tuple[float, Interval]:
    """The mean of shares over all groups, and Wilson's interval with the variance of the groups.

    A group is (the sum of its shares, their number, how many such groups there are). Its shares may
    depend on each other, but not on those of another group. Raises ValueError if there are none.
    """
    if not groups:
        raise ValueError("there is no value to take the mean of")
    n = sum(times for _, _, times in groups)
    size = sum(number * times for _, number, times in groups)
    mean = sum(total * times for total, _, times in groups) / size
    # The variance of a ratio of sums, as groups may differ in size; Wilson's trial is a group.
    square = sum((total - mean * number) ** 2 * times for total, number, times in groups)
    return mean, wilson(mean, n, square * n**2 / (max(1, n - 1) * size**2))


def bootstrap(groups: Sequence[tuple[float, int]], seed: str) -> tuple[float, Interval]:
    """The mean over all groups and its 95% percentile interval, from resamples of whole groups.

    A group is (the sum of its values, their number). Values that depend on each other, such as the
    games of one deal, form a group. Resamples of few groups spread too little, so their interval is
    stretched as Student's is (T. Hesterberg, "What teachers should know about the bootstrap",
    2015). A single group shows no spread: both ends are the mean. The same seed gives the same
    interval. Raises ValueError if there are no values.
    """
    if not groups:
        raise ValueError("there is no value to take the mean of")
    # Loaded only if scores are averaged.
    import numpy as np
    import scipy

    kinds = sorted(set(groups))
    index = {kind: number for number, kind in enumerate(kinds)}
    often = np.bincount([index[group] for group in groups], minlength=len(kinds))
    sums, sizes = np.array(kinds, dtype=float).T
    key = int.from_bytes(blake2b(seed.encode(), digest_size=16).digest(), "big")
    drawn = np.random.default_rng(key).multinomial(len(groups), often / len(groups), _RESAMPLES)
    means = (drawn @ sums) / (drawn @ sizes)
    low, high = np.quantile(means, [0.025, 0.975])
    mean, n = float(often @ sums / (often @ sizes)), len(groups)
    wide = float(scipy.special.stdtrit(n - 1, 0.975)) / Z95 * sqrt(n / (n - 1)) if n > 1 else 1.0
    return mean, (mean + wide * (float(low) - mean), mean + wide * (float(high) - mean))
