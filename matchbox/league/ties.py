"""Davidson's model: how likely a win, a tie and a loss are. Knows counts; rates for no standing.

The standing counts a tie as half a win and needs no rate of ties; a forecast does. Source: R. R.
Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments", Journal of the American Statistical Association 65 (1970).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from matchbox.league.comparisons import Floats

MAX_ROUNDS: Final = 10_000
CLOSE: Final = 1e-12
NO_WORTHS: Final = "no finite worths explain these counts; everybody needs a point from the field"


@dataclass(frozen=True, slots=True, eq=False)
class Worths:
    """Of n entrants.

    Attributes:
        worths: (n,), summing to 1.
        tie: nu, how often equals tie: nu / (2 + nu) of their bouts.
    """

    worths: Floats
    tie: float

    def forecast(self, one: int, other: int) -> tuple[float, float, float]:
        """The chances that the one wins, ties with and loses to the other."""
        a, b = float(self.worths[one]), float(self.worths[other])
        tied = self.tie * sqrt(a * b)
        whole = a + b + tied
        return a / whole, tied / whole, b / whole


def fit_ties(wins: Floats, ties: Floats) -> Worths:
    """The most likely worths for `wins` (n, n), of the line's over the column's, and `ties` (n, n).

    `ties` is symmetric. By turns worths and ties are set to what makes the points and the ties
    expected those seen (a minorisation, as in D. R. Hunter, "MM algorithms for generalized
    Bradley-Terry models", 2004). Raises ValueError where the answer is not finite.
    """
    played = wins + wins.T + ties
    points = wins.sum(axis=1) + ties.sum(axis=1) / 2
    lost = played.sum(axis=1) - points
    if not (points > 0).all() or not (lost > 0).all():
        raise ValueError(NO_WORTHS)
    worths, tie = np.full(len(wins), 1 / len(wins)), 1.0
    for _ in range(MAX_ROUNDS):
        root = np.sqrt(np.outer(worths, worths))
        per_worth = played / (worths[:, None] + worths + tie * root)
        pull = per_worth.sum(axis=1) + tie * (per_worth * root).sum(axis=1) / (2 * worths)
        fresh = points / pull
        fresh /= fresh.sum()
        root = np.sqrt(np.outer(fresh, fresh))
        spread = (played * root / (fresh[:, None] + fresh + tie * root)).sum()
        tied = float(ties.sum() / spread)
        moved = max(float(np.abs(fresh - worths).max()), abs(tied - tie))
        worths, tie = fresh, tied
        if moved < CLOSE:
            return Worths(worths, tie)
    raise ValueError(NO_WORTHS)
