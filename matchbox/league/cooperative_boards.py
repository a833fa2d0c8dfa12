"""Cooperative boards: mean scores over deals. Knows scores; rates nobody against anybody.

Two boards: a bot with copies of itself (`score`), and bots in mixed teams (`mixed_board`). All
numbers are kept as integers in a fixed order: equal rows give identical boards in whatever order
they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import numpy as np
import scipy

from matchbox.league.pairwise import Bools, Floats, Ints, numbers_in
from matchbox.league.ranges import ENOUGH_DEALS, SAME, rank_ranges
from matchbox.league.rows import Row

DEAL: Final = slice(0, 2)
BOUT: Final = slice(0, 3)
ENTRANT, SEATS, TOTAL, MIXED = 3, 4, 5, 6


@dataclass(frozen=True, slots=True, eq=False)
class ScoredBouts:
    """The score of each entrant in each bout.

    Attributes:
        entrants: in alphabetical order.
        entries: (n, 7), in order: two numbers that stand for the deal, one that stands for the
            bout, the entrant by number, how many seats it held, the sum of their scores, and 1 for
            a mixed team, else 0.
    """

    entrants: tuple[str, ...]
    entries: Ints

    @property
    def deals(self) -> int:
        """The number of deals."""
        return _numbered(self.entries[:, DEAL])[1]

    def part(self, *, mixed: bool) -> ScoredBouts:
        """The bouts of mixed teams, or of bots with copies of themselves, and their entrants."""
        entries = self.entries[self.entries[:, MIXED] == mixed]
        numbers, number = np.unique(entries[:, ENTRANT], return_inverse=True)
        entries[:, ENTRANT] = number
        return ScoredBouts(tuple(self.entrants[one] for one in numbers), entries)


@dataclass(frozen=True, slots=True, eq=False)
class MeanScores:
    """Mean scores of n entrants.

    Attributes:
        entrants: in alphabetical order, as everything below.
        means: (n,), the mean over deals of the mean score on the deal.
        covariance: (n, n), of the means: entrants on the same deals share their luck.
        deals: (n,), how many deals each has played.
    """

    entrants: tuple[str, ...]
    means: Floats
    covariance: Floats
    deals: Ints

    @property
    def unknown(self) -> Bools:
        """(n,): whether the spread is unknown: after one deal, or a few with equal scores."""
        same = np.diag(self.covariance) <= SAME**2
        return np.asarray((self.deals < 2) | (same & (self.deals < ENOUGH_DEALS)))

    def only(self, which: Sequence[int]) -> MeanScores:
        """The board of these entrants, by number."""
        names = tuple(self.entrants[at] for at in which)
        part = self.covariance[np.ix_(which, which)]
        return MeanScores(names, self.means[which], part, self.deals[which])

    def intervals(self) -> list[tuple[float, float] | None]:
        """The 95% interval of each mean; None if it is unknown."""
        student = scipy.special.stdtrit(np.maximum(self.deals - 1, 1), 0.975)
        halves = student * np.sqrt(np.diag(self.covariance))
        return [
            None if unknown else (float(mean - half), float(mean + half))
            for mean, half, unknown in zip(self.means, halves, self.unknown, strict=True)
        ]

    def ranges(self) -> list[tuple[int, int]]:
        """The rank range of each entrant; with probability 95% all of them hold jointly."""
        return rank_ranges(self.means, self.covariance, deals=self.deals, unknown=self.unknown)


def collect_scores(rows: Iterable[Row]) -> ScoredBouts:
    """Collects the scores of these bouts; each must be given once.

    A forfeit in a mixed team concerns the offender only: it counts as if a team of the offender
    alone had scored 0, and does not count for the team-mates. Raises ValueError if a bout has no
    scores.
    """
    rows = tuple(rows)
    entrants = tuple(sorted({entrant for row in rows for entrant in row.seats}))
    at = {entrant: number for number, entrant in enumerate(entrants)}
    entries: list[tuple[int, ...]] = []
    for row in rows:
        if not row.scores:
            raise ValueError(f"a bout of match {row.match} has no scores; a board needs them all")
        bout = (
            *_hash_words(row.deal, 2),
            *_hash_words(f"{row.match}/{row.deal}/{row.rotation}", 1),
        )
        mixed = int(len(set(row.seats)) > 1)
        if mixed and row.forfeit is not None:
            entries.append((*bout, at[row.seats[row.forfeit]], len(row.seats), 0, 1))
            continue
        for entrant in sorted(set(row.seats)):
            held = [
                score for name, score in zip(row.seats, row.scores, strict=True) if name == entrant
            ]
            entries.append((*bout, at[entrant], len(held), sum(held), mixed))
    return ScoredBouts(entrants, _in_order(np.array(entries, dtype=np.int64).reshape(-1, 7)))


def join_scores(one: ScoredBouts, other: ScoredBouts) -> ScoredBouts:
    """Both together; no bout may be in both."""
    entrants = tuple(sorted({*one.entrants, *other.entrants}))
    moved = []
    for part in (one, other):
        entries = part.entries.copy()
        entries[:, ENTRANT] = numbers_in(entrants, part.entrants)[entries[:, ENTRANT]]
        moved.append(entries)
    return ScoredBouts(entrants, _in_order(np.concatenate(moved)))


def score(found: ScoredBouts) -> MeanScores:
    """The board of these bouts; every seat scores for its entrant."""
    entries, n = found.entries, len(found.entrants)
    deal, deals = _numbered(entries[:, DEAL])
    cell, kind = np.unique(deal * n + entries[:, ENTRANT], return_inverse=True)
    per_deal = np.bincount(kind, entries[:, TOTAL]) / np.bincount(kind, entries[:, SEATS])
    where, entrant = cell // max(n, 1), cell % max(n, 1)
    times = np.bincount(entrant, minlength=n)
    means = np.bincount(entrant, per_deal, n) / np.maximum(times, 1)
    residual = (per_deal - means[entrant]) / times[entrant]
    by_deal = scipy.sparse.csr_array((residual, (where, entrant)), shape=(deals, n))
    covariance = (by_deal.T @ by_deal).toarray() * _small_sample_factor(times)
    return MeanScores(found.entrants, means, covariance, times)


def mixed_board(found: ScoredBouts) -> MeanScores:
    """The board of mixed teams. The model: a bout's score is the sum of a part for its deal and a
    part for each of its seats.

    An entrant's mean is the mean of all bouts plus the part of its seat, beside average partners.
    The fit is by least squares within deals, so only teams on the same deal are compared. The
    covariance is clustered by deal, with the simplest enlargement of R. M. Bell and D. F. McCaffrey
    (2002). The results cannot tell apart entrants that always played together: a ridge of one bout
    shares the result among them, and their uncertainty stays as wide as the spread between all
    teams.
    """
    entries, n = found.entries, len(found.entrants)
    if not len(entries):
        return MeanScores(
            found.entrants, np.zeros(n), np.zeros((n, n)), np.zeros(n, dtype=np.int64)
        )
    bout, bouts = _numbered(entries[:, BOUT])
    deal = np.zeros(bouts, dtype=np.int64)
    deal[bout], deals = _numbered(entries[:, DEAL])
    seats = entries[:, SEATS].astype(np.float64)
    teams = scipy.sparse.csr_array((seats, (bout, entries[:, ENTRANT])), shape=(bouts, n))
    reached = np.bincount(bout, entries[:, TOTAL]) / np.bincount(bout, seats)
    count = np.bincount(deal)
    by_deal = scipy.sparse.csr_array(
        (np.ones(bouts), (deal, np.arange(bouts))), shape=(deals, bouts)
    )
    in_deal = scipy.sparse.csr_array(by_deal @ teams)
    mean_team = scipy.sparse.csr_array(scipy.sparse.diags_array(1 / count) @ in_deal)
    centred = reached - (np.bincount(deal, reached) / count)[deal]
    bread = np.linalg.inv((teams.T @ teams - in_deal.T @ mean_team).toarray() + np.eye(n))
    effects: Floats = bread @ np.asarray(teams.T @ centred)
    residual = centred - np.asarray(teams @ effects) + np.asarray(mean_team @ effects)[deal]
    raw = by_deal @ scipy.sparse.csr_array(scipy.sparse.diags_array(residual) @ teams)
    by_entrant = (raw - scipy.sparse.diags_array(np.bincount(deal, residual)) @ mean_team).toarray()
    played = np.asarray((in_deal.toarray() > 0)[count > 1].sum(axis=0))
    meat = by_entrant.T @ by_entrant + float((centred**2).mean()) * np.eye(n)
    around_mean = bread - bread.mean(axis=0)
    covariance = around_mean @ meat @ around_mean.T * _small_sample_factor(played)
    means = float(reached.mean()) + effects - effects.mean()
    return MeanScores(found.entrants, means, covariance, played)


def _hash_words(text: str, words: int) -> tuple[int, ...]:
    """`words` integers that stand for the text."""
    drawn = blake2b(text.encode(), digest_size=8 * words).digest()
    return tuple(int.from_bytes(drawn[at : at + 8], signed=True) for at in range(0, 8 * words, 8))


def _in_order(entries: Ints) -> Ints:
    return entries[np.lexsort(entries.T[::-1])]


def _numbered(keys: Ints) -> tuple[Ints, int]:
    """The number of each row of keys (n, m), from 0 in their order, and how many differ."""
    fresh = np.ones(len(keys), dtype=np.bool_)
    fresh[1:] = (np.diff(keys, axis=0) != 0).any(axis=1)
    return np.cumsum(fresh) - 1, int(fresh.sum())


def _small_sample_factor(deals: Ints) -> Floats:
    """(n, n): the factor that enlarges the covariance of means of few deals."""
    enough = np.sqrt(np.maximum(deals, 1) / np.maximum(deals - 1, 1))
    return np.outer(enough, enough)
