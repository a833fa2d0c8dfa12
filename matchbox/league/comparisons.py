"""Rows as pairs: who beat whom, in arrays. Knows how a table splits into pairs; rates nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from matchbox.league.rows import Row, refuse_self_play

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Column: TypeAlias = tuple[int, int, int, int, float, int]


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """n comparisons of two entrants each; every array has n entries."""

    entrants: tuple[str, ...]
    table: int
    """Seats at the largest table."""
    first: Ints
    """Indexes into the entrants."""
    second: Ints
    first_seat: Ints
    second_seat: Ints
    won: Floats
    """What the first took of the second: 1, 0, or 0.5 for a tie."""
    deal: Ints
    """Clusters, numbered from 0: comparisons of one deal depend on each other."""

    @property
    def deals(self) -> int:
        """The number of clusters."""
        return int(self.deal.max()) + 1 if len(self.deal) else 0

    def cells(self, *, seat_term: bool) -> Cells:
        """The same comparisons by kind: who, and with a seat term also where they sat."""
        names = len(self.entrants)
        columns, signs = [self.first, self.second], [1.0, -1.0]
        if seat_term:
            columns += [names + self.first_seat, names + self.second_seat]
            signs += [1.0, -1.0]
        width = names + (self.table if seat_term else 0)
        keys = np.ravel_multi_index(columns, (max(width, 1),) * len(columns))
        _, kept, kind = np.unique(keys, return_index=True, return_inverse=True)
        return Cells(np.stack(columns, axis=1)[kept], np.array(signs), kind, names, width)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """k kinds of comparison, each a line of the design matrix.

    Attributes:
        columns: (k, 2 or 4), where the line is not zero.
        signs: (2 or 4,), what stands there.
        kind: (n,), the kind of each comparison.
        names: the number of entrants; their columns come first.
        width: all columns.
    """

    columns: Ints
    signs: Floats
    kind: Ints
    names: int
    width: int

    def design(self) -> sparse.csr_array:
        """(k, width)."""
        kinds, per_line = self.columns.shape
        lines = np.repeat(np.arange(kinds), per_line)
        values = np.tile(self.signs, kinds)
        return sparse.csr_array((values, (lines, self.columns.ravel())), shape=(kinds, self.width))

    def spread(self, inverse: Floats) -> Floats:
        """(k,): x A x for each line x of the design and the matrix A given."""
        total: Floats = np.zeros(len(self.columns))
        for one, sign in zip(self.columns.T, self.signs, strict=True):
            for other, sign_too in zip(self.columns.T, self.signs, strict=True):
                total += sign * sign_too * inverse[one, other]
        return total


def compare(rows: Iterable[Row]) -> Comparisons:
    """Every pair of every table, ties half, under the number of its deal.

    Raises ValueError where an entrant sits twice at a table: self-play is never rated.
    """
    rows = tuple(rows)
    entrants = tuple(sorted({entrant for row in rows for entrant in row.seats}))
    index = {entrant: number for number, entrant in enumerate(entrants)}
    deals: dict[str, int] = {}
    columns: list[Column] = []
    for row in rows:
        columns += _pairs(row, index, deals.setdefault(row.deal, len(deals)))
    table = np.array(columns, dtype=np.float64).reshape(-1, 6)
    first, second, first_seat, second_seat, deal = table[:, [0, 1, 2, 3, 5]].T.astype(np.int64)
    seats = max((len(row.seats) for row in rows), default=1)
    return Comparisons(
        entrants, seats, first, second, first_seat, second_seat, table[:, 4].copy(), deal
    )


def _pairs(row: Row, index: dict[str, int], deal: int) -> list[Column]:
    refuse_self_play(row)
    names = [index[entrant] for entrant in row.seats]
    return [
        (names[i], names[j], i, j, _share(row.places[i], row.places[j]), deal)
        for i, j in combinations(range(len(names)), 2)
    ]


def _share(place: int, other: int) -> float:
    return 0.5 if place == other else float(place < other)
