"""Results of pairs: which entrant beat which, as counts of deals.

Knows how a table splits into pairs; rates nobody. Deals with the same outcome are counted, not
listed. At a table of two each pair has five counts (those of a pentanomial test), so a fit costs
the same after a million bouts. All numbers are integers in a fixed order: equal rows give identical
counts in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from matchbox.league.rows import Row, refuse_self_play

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

PAIR = slice(0, 4)
"""The columns with the two entrants and their seats."""
MET, HALVES = 4, 5


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseResults:
    """The results of pairs, as k different outcomes of a deal with n entries in all.

    Attributes:
        entrants: in alphabetical order.
        seats: at the largest table; 0 if seats are not recorded.
        entries: (n, 6), for a pair on a deal: both entrants by number, their seats, how often
            they met, and twice the points that the first took. The first has the lower number.
        outcome: (n,), the outcome that the entry is part of, from 0. The entries of one outcome
            depend on each other.
        deals: (k,), how many deals had each outcome.
    """

    entrants: tuple[str, ...]
    seats: int
    entries: Ints
    outcome: Ints
    deals: Ints

    @property
    def met(self) -> Floats:
        """(n,): how often the two entrants of each entry met on one deal."""
        return self.entries[:, MET].astype(np.float64)

    @property
    def won(self) -> Floats:
        """(n,): the points that the first entrant took; a draw is half a point."""
        return self.entries[:, HALVES] / 2

    def design(self) -> Design:
        """The design matrix; a kind of pair is two entrants, and their seats if recorded."""
        entrants = len(self.entrants)
        columns, signs = [self.entries[:, 0], self.entries[:, 1]], [1.0, -1.0]
        if self.seats:
            columns += [entrants + self.entries[:, 2], entrants + self.entries[:, 3]]
            signs += [1.0, -1.0]
        count = entrants + self.seats
        keys = np.ravel_multi_index(columns, (max(count, 1),) * len(columns))
        _, kept, kind = np.unique(keys, return_index=True, return_inverse=True)
        return Design(np.stack(columns, axis=1)[kept], np.array(signs), kind, entrants, count)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The design matrix X (k, column_count) of a Bradley-Terry fit: a row for each kind of pair.

    Attributes:
        columns: (k, 2 or 4), the columns where the row is not zero.
        signs: (2 or 4,), the values in these columns.
        kind: (n,), the row of each entry of the results.
        entrant_count: how many columns belong to entrants; these come before those of seats.
        column_count: the number of columns.
    """

    columns: Ints
    signs: Floats
    kind: Ints
    entrant_count: int
    column_count: int

    def sum_by_kind(self, values: Floats) -> Floats:
        """(k,): the sums of these values (n,) of entries."""
        return np.asarray(np.bincount(self.kind, values, len(self.columns)), np.float64)

    def log_odds(self, at: Floats) -> Floats:
        """(k,): X v for the vector v (column_count,); log odds if v holds strengths."""
        return np.asarray(at[self.columns] @ self.signs)

    def rmatvec(self, values: Floats) -> Floats:
        """(column_count,): X' v for the vector v (k,)."""
        weights = np.outer(values, self.signs).ravel()
        return np.asarray(np.bincount(self.columns.ravel(), weights, self.column_count), np.float64)

    def gram(self, weights: Floats) -> Floats:
        """(column_count, column_count): X' W X for the diagonal matrix W of these weights (k,)."""
        half = np.zeros(self.column_count**2)
        for one, other in combinations(range(len(self.signs)), 2):
            cells = self.columns[:, one] * self.column_count + self.columns[:, other]
            signed = self.signs[one] * self.signs[other] * weights
            half += np.bincount(cells, weights=signed, minlength=len(half))
        total = half.reshape(self.column_count, self.column_count)
        total = total + total.T
        each = np.repeat(weights, len(self.signs))
        total[np.diag_indices_from(total)] += np.bincount(
            self.columns.ravel(), weights=each, minlength=self.column_count
        )
        return total

    def matrix(self) -> scipy.sparse.csr_array:
        """(k, column_count): X as a sparse matrix."""
        k, each = self.columns.shape
        data = np.tile(self.signs, k)
        starts = np.arange(0, k * each + 1, each)
        shape = (k, self.column_count)
        return scipy.sparse.csr_array((data, self.columns.ravel(), starts), shape=shape)

    def gram_diagonal(self, weights: Floats) -> Floats:
        """(column_count,): the diagonal of `gram`, in time proportional to k."""
        each = np.repeat(weights, len(self.signs))
        return np.asarray(np.bincount(self.columns.ravel(), each, self.column_count), np.float64)

    def diagonal_form(self, diagonal: Floats) -> Floats:
        """(k,): `quadratic_form` of a diagonal matrix, given its diagonal (column_count,)."""
        return np.asarray(diagonal[self.columns].sum(axis=1), np.float64)

    def quadratic_form(self, matrix: Floats) -> Floats:
        """(k,): x A x' for each row x of X and the matrix A (column_count, column_count)."""
        total: Floats = np.zeros(len(self.columns))
        for one, sign in zip(self.columns.T, self.signs, strict=True):
            for other, other_sign in zip(self.columns.T, self.signs, strict=True):
                total += sign * other_sign * matrix[one, other]
        return total


def compare(rows: Iterable[Row], *, seat_term: bool = False) -> PairwiseResults:
    """Compares every pair at every table by deal (and seat, with a seat term); draws are half wins.

    Raises ValueError if an entrant sits twice at a table: self-play is never rated.
    """
    rows = tuple(rows)
    entrants = tuple(sorted({entrant for row in rows for entrant in row.seats}))
    index = {entrant: number for number, entrant in enumerate(entrants)}
    deals: dict[str, int] = {}
    entries: list[tuple[int, ...]] = []
    for row in rows:
        entries += _pairs(row, index, deals.setdefault(row.deal, len(deals)), seat_term)
    table = np.array(entries, dtype=np.int64).reshape(-1, 7)
    seats = max((len(row.seats) for row in rows), default=1) if seat_term else 0
    return count_outcomes(entrants, seats, table[:, 1:], table[:, 0])


def join(one: PairwiseResults, other: PairwiseResults) -> PairwiseResults:
    """Joins results, as if all rows were compared together: new matches do not need the old rows.

    No deal may be in both. Raises ValueError if only one of them has seats.
    """
    if bool(one.seats) != bool(other.seats) and len(one.entries) and len(other.entries):
        raise ValueError("results with seats and without do not mix; compare all rows alike")
    entrants = tuple(sorted({*one.entrants, *other.entrants}))
    moved = []
    for part in (one, other):
        entries = part.entries.copy()
        entries[:, :2] = numbers_in(entrants, part.entrants)[entries[:, :2]]
        moved.append(entries)
    return count_outcomes(
        entrants,
        max(one.seats, other.seats),
        np.concatenate(moved),
        np.concatenate([one.outcome, other.outcome + len(one.deals)]),
        np.concatenate([one.deals, other.deals]),
    )


def without_seats(results: PairwiseResults) -> PairwiseResults:
    """Returns the results without their seats."""
    if not results.seats:
        return results
    entries = results.entries.copy()
    entries[:, 2:MET] = 0
    return count_outcomes(results.entrants, 0, entries, results.outcome, results.deals)


def count_outcomes(
    entrants: tuple[str, ...], seats: int, entries: Ints, deal: Ints, times: Ints | None = None
) -> PairwiseResults:
    """Counts the deals with equal entries.

    `entries` (n, 6) are as in `PairwiseResults`, and `deal` (n,) is the number of each one's deal.
    Deal number d counts `times[d]` times; None means once.
    """
    entries, deal = _merge_pairs(entries, deal)
    numbers, deal, lengths = np.unique(deal, return_inverse=True, return_counts=True)
    many = np.ones(len(numbers), dtype=np.int64) if times is None else times[numbers]
    shape = entries.max(axis=0, initial=0) + 1
    keys = np.ravel_multi_index(tuple(entries.T), tuple(shape)) if len(entries) else deal
    starts = np.cumsum(lengths) - lengths
    kept_entries, kept_outcome, kept_deals = [entries[:0]], [deal[:0]], [many[:0]]
    found = 0
    for length in np.unique(lengths):
        which = np.flatnonzero(lengths == length)
        indices = starts[which, None] + np.arange(length)
        first, kind = _distinct(keys[indices])
        kept_entries.append(entries[indices[first].ravel()])
        kept_outcome.append(np.repeat(np.arange(found, found + len(first)), length))
        kept_deals.append(np.bincount(kind, weights=many[which]).astype(np.int64))
        found += len(first)
    return PairwiseResults(
        entrants,
        seats,
        *(np.concatenate(part) for part in (kept_entries, kept_outcome, kept_deals)),
    )


def numbers_in(entrants: Sequence[str], names: Sequence[str]) -> Ints:
    """(names,): the number of each name among the entrants."""
    index = {entrant: number for number, entrant in enumerate(entrants)}
    return np.array([index[name] for name in names], dtype=np.int64)


def _pairs(row: Row, index: dict[str, int], deal: int, seat_term: bool) -> list[tuple[int, ...]]:
    """The entries of this bout, as in `PairwiseResults`, each after the deal's number."""
    refuse_self_play(row)
    order = sorted(range(len(row.seats)), key=lambda seat: row.seats[seat])
    return [
        (
            deal,
            index[row.seats[one]],
            index[row.seats[other]],
            one if seat_term else 0,
            other if seat_term else 0,
            1,
            _half_points(row.places[one], row.places[other]),
        )
        for one, other in combinations(order, 2)
    ]


def _half_points(place: int, other: int) -> int:
    return 1 if place == other else 2 * (place < other)


def _merge_pairs(entries: Ints, deal: Ints) -> tuple[Ints, Ints]:
    """The entries of each deal in order, and their deals; each pair has one entry."""
    order = np.lexsort((*entries[:, PAIR].T[::-1], deal))
    entries, deal = entries[order], deal[order]
    is_first = np.ones(len(deal), dtype=np.bool_)
    is_first[1:] = (np.diff(entries[:, PAIR], axis=0) != 0).any(axis=1) | (np.diff(deal) != 0)
    starts = np.flatnonzero(is_first)
    merged = entries[starts]
    if len(starts):
        merged[:, MET:] = np.add.reduceat(entries[:, MET:], starts, axis=0)
    return merged, deal[starts]


def _distinct(table: Ints) -> tuple[Ints, Ints]:
    """For (n, m): the first index of each distinct row, in order, and the kind of each row (n,)."""
    order = np.lexsort(table.T[::-1])
    is_first = np.ones(len(table), dtype=np.bool_)
    is_first[1:] = (np.diff(table[order], axis=0) != 0).any(axis=1)
    kind = np.empty(len(table), dtype=np.int64)
    kind[order] = np.cumsum(is_first) - 1
    return order[is_first], kind
