"""Cooperative boards: mean scores over deals. Knows scores; rates nobody against anybody.

Two boards: a bot with copies of itself (`score`), and bots in mixed teams (`score_mixed`).
"""

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


def score_mixed(rows: Sequence[Row]) -> Board:
    """The board of mixed teams: a bout's score is its deal's, and a part for each of its seats.

    A mean is the mean of all bouts and what the entrant's seat adds to it, beside average partners.
    By least squares within deals, so that only teams on the same deal are compared; covariance by
    deal, with R. M. Bell and D. F. McCaffrey's (2002) enlargement in its plainest form. Who has
    only had company that cannot be told apart keeps a wide share of it: the ridge is that of one
    bout. Raises ValueError where a bout has no scores.
    """
    entrants, teams, scored, deal = _teams(rows)
    if not len(scored):
        return Board((), np.zeros(0), np.zeros((0, 0)), np.zeros(0, dtype=np.int64))
    count = np.bincount(deal)
    within = teams - (_sums(teams, deal) / count[:, None])[deal]
    rest = scored - (np.bincount(deal, weights=scored) / count)[deal]
    n = len(entrants)
    bread = np.linalg.inv(within.T @ within + np.eye(n))
    effects = bread @ (within.T @ rest)
    pulls = _sums(within * (rest - within @ effects)[:, None], deal)
    deals = (_sums(teams, deal) > 0)[count > 1].sum(axis=0)
    few = np.sqrt(np.maximum(deals, 1) / np.maximum(deals - 1, 1))
    covariance = bread @ (pulls.T @ pulls) @ bread * np.outer(few, few)
    return Board(entrants, float(scored.mean()) + effects - effects.mean(), covariance, deals)


def _teams(rows: Sequence[Row]) -> tuple[tuple[str, ...], Floats, Floats, Ints]:
    """Entrants; (bouts, n) seats of each; (bouts,) mean score; (bouts,) number of the deal."""
    entrants = tuple(sorted({entrant for row in rows for entrant in row.seats}))
    at = {entrant: number for number, entrant in enumerate(entrants)}
    deals = {deal: number for number, deal in enumerate(sorted({row.deal for row in rows}))}
    teams, scored = np.zeros((len(rows), len(entrants))), np.zeros(len(rows))
    for line, row in enumerate(rows):
        if not row.scores:
            raise ValueError(f"a bout of match {row.match} has no scores; a board needs them all")
        scored[line] = sum(row.scores) / len(row.scores)
        for entrant in row.seats:
            teams[line, at[entrant]] += 1
    return entrants, teams, scored, np.array([deals[row.deal] for row in rows], dtype=np.int64)


def _sums(values: Floats, deal: Ints) -> Floats:
    """(deals, n): the sums of these (bouts, n)."""
    total = np.zeros((int(deal.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(total, deal, values)
    return total


def _covariance(deviations: Floats, played: Bools) -> Floats:
    times = np.maximum(played.sum(axis=0), 1)
    pull = np.where(played, deviations, 0.0) / times
    few = np.sqrt(times / np.maximum(times - 1, 1))
    return np.asarray((pull.T @ pull) * np.outer(few, few))
