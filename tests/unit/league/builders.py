"""Rows for the tests of the league: single bouts, whole matches and simulated fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from matchbox.league.pairwise import compare
from matchbox.league.ratings import ELO, Fit, fit_strengths
from matchbox.league.rows import Row, in_order

CASES = Path(__file__).parent / "cases"


def published(name: str) -> Any:
    """Returns the published case of this name."""
    return json.loads((CASES / f"{name}.json").read_text("utf-8"))


def fit(rows: Iterable[Row], *, seat_term: bool = False, **more: Any) -> Fit:
    """Fits strengths to these rows, with the settings of `fit_strengths`."""
    return fit_strengths(compare(in_order(rows), seat_term=seat_term), **more)


def bout(
    seats: str | Sequence[str],
    places: Sequence[int],
    *,
    match: str = "m",
    deal: str = "0" * 32,
    rotation: int = 0,
    forfeit: int | None = None,
    scores: Sequence[int] = (),
) -> Row:
    """One bout; `seats` may be a word whose letters are the entrants."""
    return Row(match, deal, rotation, tuple(seats), tuple(places), forfeit, tuple(scores))


def wins(winner: str, loser: str, count: int, *, start: int = 0) -> list[Row]:
    """Returns `count` wins of one over the other, each on a deal of its own."""
    return [
        bout((winner, loser), (1, 2), match=f"{winner}{loser}{n}", deal=f"{winner}{loser}{n}")
        for n in range(start, start + count)
    ]


def play_field(
    strengths: Sequence[float],
    *,
    table: int,
    deals: int,
    luck: float,
    seed: int,
) -> list[Row]:
    """Plays `deals` deals at every table of `table` entrants, in all rotations.

    Strengths are in Elo. With probability `luck` a rotation's luck by seat is the deal's own, so
    that the results of one deal depend on each other. The luck has a Gumbel distribution, which
    gives the Bradley-Terry model.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for who in combinations(range(len(strengths)), table):
        match = "-".join(f"{one:02d}" for one in who)
        for deal in range(deals):
            dealt = rng.gumbel(size=table)
            for rotation in range(table):
                order = who[rotation:] + who[:rotation]
                fell = dealt if rng.random() < luck else rng.gumbel(size=table)
                value = np.array([strengths[one] for one in order]) / ELO + fell
                places = [1 + int((value > own).sum()) for own in value]
                rows.append(
                    bout(
                        [f"b{one:02d}" for one in order],
                        places,
                        match=match,
                        deal=f"{match}/{deal}",
                        rotation=rotation,
                    )
                )
    return rows
