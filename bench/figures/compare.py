"""Decides whether a figure of ours agrees with a given one. Pure functions of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any, Final

from matchbox.lab.statistics import Z95, wilson

REFERENCE: Final = "reference run"
"""The source of a figure that the document does not give."""
STRETCH: Final = 1.7
"""Two figures may be apart by this many times their common 95% error. By chance alone, one pair in
a thousand is farther apart (3.3 standard deviations)."""


WITHIN: Final = 0.9
"""The share of all figures that must lie within their 95% errors; chance alone gives 0.95."""


@dataclass(frozen=True, slots=True)
class Given:
    """A figure to reproduce: a value with its 95% error, or a range between two bounds."""

    low: float
    high: float
    error: float = 0.0

    def __str__(self) -> str:
        if self.low != self.high:
            return f"{_short(self.low)} to {_short(self.high)}"
        return _short(self.low) + (f" ±{_short(self.error)}" if self.error else "")


@dataclass(frozen=True, slots=True)
class Ours:
    """A figure that was played here, with its 95% error."""

    value: float
    error: float
    games: int

    def __str__(self) -> str:
        return _short(self.value) + (f" ±{_short(self.error)}" if self.error else "")


@dataclass(frozen=True, slots=True)
class Row:
    """A given figure beside ours."""

    name: str
    source: str
    """The source of the given figure: the document, or the reference run."""
    given: Given
    ours: Ours

    @property
    def apart(self) -> float:
        """The distance of our figure from the given one, or from its range."""
        value = self.ours.value
        return max(0.0, self.given.low - value, value - self.given.high)

    @property
    def error(self) -> float:
        """The 95% error of their difference: by chance, 19 of 20 differences are within it."""
        return hypot(self.given.error, self.ours.error)

    @property
    def allowed(self) -> float:
        """The greatest distance that chance explains."""
        return STRETCH * self.error

    @property
    def within_errors(self) -> bool:
        """Whether they are within the 95% error of their difference."""
        return self.apart <= self.error + 1e-9

    @property
    def agrees(self) -> bool:
        """Whether chance explains the difference."""
        return self.apart <= self.allowed + 1e-9


@dataclass(frozen=True, slots=True)
class Section:
    """The figures of one game."""

    title: str
    about: str
    """A description of the games played, in a sentence or two."""
    rows: Sequence[Row]


def too_far(rows: Sequence[Row]) -> bool:
    """Whether the figures as a whole are farther apart than chance explains."""
    return sum(row.within_errors for row in rows) < WITHIN * len(rows)


def value(number: float, error: float = 0.0) -> Given:
    """A figure with its 95% error."""
    return Given(number, number, error)


def between(low: float, high: float) -> Given:
    """Any figure from `low` to `high`."""
    return Given(low, high)


def counted(percent: float, games: int) -> Given:
    """A percentage from this many games."""
    return value(percent, ours_percent(percent / 100, games).error)


def ours_percent(share: float, games: int) -> Ours:
    """A share from this many games, in percent."""
    return ours_interval(100 * share, [100 * bound for bound in wilson(share, games)], games)


def ours_interval(number: float, interval: Sequence[float], games: int) -> Ours:
    """A figure with its 95% interval; its error is that of the longer side."""
    return Ours(number, max(number - interval[0], interval[1] - number), games)


def ours_mean(counts: Mapping[int, int]) -> Ours:
    """The mean of whole numbers, each with its count."""
    games = Counter(counts).total()
    mean = sum(number * often for number, often in counts.items()) / games
    squares = sum((number - mean) ** 2 * often for number, often in counts.items())
    return Ours(mean, Z95 * sqrt(squares) / games, games)


def ours_exact(number: float) -> Ours:
    """A figure that does not depend on chance."""
    return Ours(number, 0.0, 1)


def by_name(rows: Sequence[Mapping[str, Any]], *keys: str) -> dict[Any, Mapping[str, Any]]:
    """The rows of a result, indexed by the values of these keys."""
    if len(keys) == 1:
        return {row[keys[0]]: row for row in rows}
    return {tuple(row[key] for key in keys): row for row in rows}


def _short(number: float) -> str:
    """At most three decimals, without needless zeros."""
    return f"{number:.3f}".rstrip("0").rstrip(".")
