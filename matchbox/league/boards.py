"""Cooperative boards: mean scores over deals. Knows scores; rates nobody against anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from matchbox.league.comparisons import Bools, Floats, Ints
from matchbox.league.ranges import rank_ranges
from matchbox.league.rows import Row


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Mean scores of n entrants.

    Attributes:
        entrants: in alphabetical order, as everything below.
        means: (n,), the mean over deals of the mean score on the deal.
        covariance: (n, n), of the means: entrants that share deals share their luck.
        deals: (n,), how many deals each has played.
    """

    entrants: tuple[str, ...]
    means: Floats
    covariance: Floats
    deals: Ints

    @property
    def unknown(self) -> Bools:
        """(n,): whose single deal tells no spread."""
        return np.asarray(self.deals < 2)

    def only(self, which: Sequence[int]) -> Board:
        """The board of these entrants, by number."""
        names = tuple(self.entrants[at] for at in which)
        part = self.covariance[np.ix_(which, which)]
        return Board(names, self.means[which], part, self.deals[which])

    def intervals(self) -> list[tuple[float, float] | None]:
        """The 95% interval of each mean; None where it is unknown."""
        halves = stdtrit(np.maximum(self.deals - 1, 1), 0.975) * np.sqrt(np.diag(self.covariance))
        return [
            None if unknown else (float(mean - half), float(mean + half))
            for mean, half, unknown in zip(self.means, halves, self.unknown, strict=True)
        ]

    def ranges(self) -> list[tuple[int, int]]:
        """The rank ranges of all, at once with 95% certainty."""
        told = self.deals[~self.unknown]
        freedom = int(told.min()) - 1 if len(told) else 1
        widen = float(stdtrit(freedom, 0.975) / ndtri(0.975))
        return rank_ranges(self.means, self.covariance, widen=widen, unknown=self.unknown)


def score(rows: Sequence[Row]) -> Board:
    """The board of these bouts, in which every seat scores for its entrant.

    Raises ValueError where a bout has no scores.
    """
    entrants = tuple(sorted({entrant for row in rows for entrant in row.seats}))
    at = {entrant: number for number, entrant in enumerate(entrants)}
    deals = {deal: number for number, deal in enumerate(sorted({row.deal for row in rows}))}
    total = np.zeros((len(deals), len(entrants)))
    count = np.zeros((len(deals), len(entrants)))
    for row in rows:
        if not row.scores:
            raise ValueError(f"a bout of match {row.match} has no scores; a board needs them all")
        for entrant, scored in zip(row.seats, row.scores, strict=True):
            total[deals[row.deal], at[entrant]] += scored
            count[deals[row.deal], at[entrant]] += 1
    played = count > 0
    per_deal = np.divide(total, count, out=np.zeros_like(total), where=played)
    times = played.sum(axis=0)
    means = per_deal.sum(axis=0) / np.maximum(times, 1)
    return Board(entrants, means, _covariance(per_deal - means, played), times)


def _covariance(deviations: Floats, played: Bools) -> Floats:
    times = np.maximum(played.sum(axis=0), 1)
    pull = np.where(played, deviations, 0.0) / times
    few = np.sqrt(times / np.maximum(times - 1, 1))
    return np.asarray((pull.T @ pull) * np.outer(few, few))
