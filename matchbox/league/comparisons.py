"""Rows as pairs: which entrant beat which, as counts of deals.

Knows how a table splits into pairs; rates nobody. Deals with equal results are counted, not listed.
At a table of two each pair has five counts (those of a pentanomial test), so a fit costs the same
after a million bouts. All numbers are integers in a fixed order: equal rows give identical counts
in whatever order they come.
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
class Comparisons:
    """n lines, of k different outcomes of a deal.

    Attributes:
        entrants: in alphabetical order.
        seats: at the largest table; 0 if seats are not recorded.
        lines: (n, 6) first and second entrant by number, their seats, how often they met on the
            deal, and twice the points that the first took. The first has the lower number.
        deal: (n,), the outcome that the line is part of, from 0. Its lines depend on each other.
        times: (k,), how many deals had each outcome.
    """

    entrants: tuple[str, ...]
    seats: int
    lines: Ints
    deal: Ints
    times: Ints

    @property
    def met(self) -> Floats:
        """(n,): how often the two entrants of each line met on one deal."""
        return self.lines[:, MET].astype(np.float64)

    @property
    def won(self) -> Floats:
        """(n,): the points that the first entrant took; a tie is half a point."""
        return self.lines[:, HALVES] / 2

    def cells(self) -> Cells:
        """The comparisons by kind: the two entrants, and their seats if these are recorded."""
        names = len(self.entrants)
        columns, signs = [self.lines[:, 0], self.lines[:, 1]], [1.0, -1.0]
        if self.seats:
            columns += [names + self.lines[:, 2], names + self.lines[:, 3]]
            signs += [1.0, -1.0]
        width = names + self.seats
        keys = np.ravel_multi_index(columns, (max(width, 1),) * len(columns))
        _, kept, kind = np.unique(keys, return_index=True, return_inverse=True)
        return Cells(np.stack(columns, axis=1)[kept], np.array(signs), kind, names, width)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """k kinds of comparison, each a line of the design matrix.

    Attributes:
        columns: (k, 2 or 4), the columns where the line is not zero.
        signs: (2 or 4,), the values in these columns.
        kind: (n,), the kind of each line of the comparisons.
        names: the number of entrants; their columns come first.
        width: the number of columns.
    """

    columns: Ints
    signs: Floats
    kind: Ints
    names: int
    width: int

    def total(self, values: Floats) -> Floats:
        """(k,): the sums of these (n,) values by kind."""
        return np.asarray(np.bincount(self.kind, values, len(self.columns)), np.float64)

    def log_odds(self, at: Floats) -> Floats:
        """(k,): the product of the design and this (width,) vector."""
        return np.asarray(at[self.columns] @ self.signs)

    def pull(self, values: Floats) -> Floats:
        """(width,): the product of the transposed design and this (k,) vector."""
        weights = np.outer(values, self.signs).ravel()
        return np.asarray(np.bincount(self.columns.ravel(), weights, self.width), np.float64)

    def gram(self, weights: Floats) -> Floats:
        """(width, width): the design's Gram matrix, its lines weighted by these (k,) values."""
        half = np.zeros(self.width**2)
        for one, other in combinations(range(len(self.signs)), 2):
            places = self.columns[:, one] * self.width + self.columns[:, other]
            signed = self.signs[one] * self.signs[other] * weights
            half += np.bincount(places, weights=signed, minlength=len(half))
        total = half.reshape(self.width, self.width)
        total = total + total.T
        each = np.repeat(weights, len(self.signs))
        total[np.diag_indices_from(total)] += np.bincount(
            self.columns.ravel(), weights=each, minlength=self.width
        )
        return total

    def design(self) -> scipy.sparse.csr_array:
        """(k, width): the design matrix."""
        k, each = self.columns.shape
        data = np.tile(self.signs, k)
        starts = np.arange(0, k * each + 1, each)
        return scipy.sparse.csr_array((data, self.columns.ravel(), starts), shape=(k, self.width))

    def masses(self, weights: Floats) -> Floats:
        """(width,): the diagonal of `gram`, in time that grows with k alone."""
        each = np.repeat(weights, len(self.signs))
        return np.asarray(np.bincount(self.columns.ravel(), each, self.width), np.float64)

    def reach(self, diagonal: Floats) -> Floats:
        """(k,): the same as `spread` of a matrix with this diagonal (width,) and zeros beside."""
        return np.asarray(diagonal[self.columns].sum(axis=1), np.float64)

    def spread(self, inverse: Floats) -> Floats:
        """(k,): x A x for each line x of the design and the matrix A given."""
        total: Floats = np.zeros(len(self.columns))
        for one, sign in zip(self.columns.T, self.signs, strict=True):
            for other, sign_too in zip(self.columns.T, self.signs, strict=True):
                total += sign * sign_too * inverse[one, other]
        return total


def compare(rows: Iterable[Row], *, seat_term: bool = False) -> Comparisons:
    """Compares every pair at every table by deal (and seat, with a seat term); ties are half wins.

    Raises ValueError if an entrant sits twice at a table: self-play is never rated.
    """
    rows = tuple(rows)
    entrants = tuple(sorted({entrant for row in rows for entrant in row.seats}))
    index = {entrant: number for number, entrant in enumerate(entrants)}
    deals: dict[str, int] = {}
    lines: list[tuple[int, ...]] = []
    for row in rows:
        lines += _pairs(row, index, deals.setdefault(row.deal, len(deals)), seat_term)
    table = np.array(lines, dtype=np.int64).reshape(-1, 7)
    seats = max((len(row.seats) for row in rows), default=1) if seat_term else 0
    return count_outcomes(entrants, seats, table[:, 1:], table[:, 0])


def join(one: Comparisons, other: Comparisons) -> Comparisons:
    """Joins two comparisons, as if made at once: so new matches do not need the old rows.

    No deal may be in both. Raises ValueError if only one of them has seats.
    """
    if bool(one.seats) != bool(other.seats) and len(one.lines) and len(other.lines):
        raise ValueError("comparisons with seats and without do not mix; compare all rows alike")
    entrants = tuple(sorted({*one.entrants, *other.entrants}))
    moved = []
    for part in (one, other):
        lines = part.lines.copy()
        lines[:, :2] = numbers_in(entrants, part.entrants)[lines[:, :2]]
        moved.append(lines)
    return count_outcomes(
        entrants,
        max(one.seats, other.seats),
        np.concatenate(moved),
        np.concatenate([one.deal, other.deal + len(one.times)]),
        np.concatenate([one.times, other.times]),
    )


def without_seats(compared: Comparisons) -> Comparisons:
    """Returns the comparisons without their seats."""
    if not compared.seats:
        return compared
    lines = compared.lines.copy()
    lines[:, 2:MET] = 0
    return count_outcomes(compared.entrants, 0, lines, compared.deal, compared.times)


def count_outcomes(
    entrants: tuple[str, ...], seats: int, lines: Ints, deal: Ints, times: Ints | None = None
) -> Comparisons:
    """The comparisons of these lines, with equal deals counted; columns as in `Comparisons`."""
    lines, deal = _summed(lines, deal)
    deals, deal, lengths = np.unique(deal, return_inverse=True, return_counts=True)
    many = np.ones(len(deals), dtype=np.int64) if times is None else times[deals]
    room = lines.max(axis=0, initial=0) + 1
    packed = np.ravel_multi_index(tuple(lines.T), tuple(room)) if len(lines) else deal
    starts = np.cumsum(lengths) - lengths
    kept_lines, kept_deal, kept_times = [lines[:0]], [deal[:0]], [many[:0]]
    found = 0
    for length in np.unique(lengths):
        which = np.flatnonzero(lengths == length)
        places = starts[which, None] + np.arange(length)
        first, kind = _distinct(packed[places])
        kept_lines.append(lines[places[first].ravel()])
        kept_deal.append(np.repeat(np.arange(found, found + len(first)), length))
        kept_times.append(np.bincount(kind, weights=many[which]).astype(np.int64))
        found += len(first)
    return Comparisons(
        entrants, seats, *(np.concatenate(part) for part in (kept_lines, kept_deal, kept_times))
    )


def numbers_in(entrants: Sequence[str], names: Sequence[str]) -> Ints:
    """(names,): the number of each name among the entrants."""
    index = {entrant: number for number, entrant in enumerate(entrants)}
    return np.array([index[name] for name in names], dtype=np.int64)


def _pairs(row: Row, index: dict[str, int], deal: int, seat_term: bool) -> list[tuple[int, ...]]:
    """The lines of this bout, as in `Comparisons`, each after the deal's number."""
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


def _summed(lines: Ints, deal: Ints) -> tuple[Ints, Ints]:
    """The lines of each deal in order, with one line per pair."""
    order = np.lexsort((*lines[:, PAIR].T[::-1], deal))
    lines, deal = lines[order], deal[order]
    fresh = np.ones(len(deal), dtype=np.bool_)
    fresh[1:] = (np.diff(lines[:, PAIR], axis=0) != 0).any(axis=1) | (np.diff(deal) != 0)
    starts = np.flatnonzero(fresh)
    summed = lines[starts]
    if len(starts):
        summed[:, MET:] = np.add.reduceat(lines[:, MET:], starts, axis=0)
    return summed, deal[starts]


def _distinct(table: Ints) -> tuple[Ints, Ints]:
    """For (n, m): the first place of each distinct line, in order, and the number of each line."""
    order = np.lexsort(table.T[::-1])
    fresh = np.ones(len(table), dtype=np.bool_)
    fresh[1:] = (np.diff(table[order], axis=0) != 0).any(axis=1)
    kind = np.empty(len(table), dtype=np.int64)
    kind[order] = np.cumsum(fresh) - 1
    return order[fresh], kind
