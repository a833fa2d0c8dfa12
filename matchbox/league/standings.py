"""The official standing: a pure function of rows and settings. Knows no page and no season."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final, NamedTuple

import numpy as np

from matchbox.league.boards import score
from matchbox.league.comparisons import Floats
from matchbox.league.ranges import rank_ranges
from matchbox.league.ratings import PRIOR_ELO, WIDE, fit
from matchbox.league.rows import Row, digest_rows, half_points, in_order

METHOD: Final = 2
"""Part of every digest: goes up when the same rows would give other figures."""
PROVISIONAL_ELO: Final = 100.0
"""An interval wider than this is provisional."""
PROVISIONAL_DEALS: Final = 20
"""On a cooperative board, fewer deals than this are."""
DIGITS: Final = 6
"""Entrants whose Elo or score agrees to so many decimals share a rank."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant's line. On a cooperative board `elo` and `ci95` are None, elsewhere the scores.

    A match is won above, drawn at, lost below half of its points; forfeits count bouts.
    """

    rank: int
    rank_range: tuple[int, int]
    """Best and worst rank it may truly hold: true of all lines at once with 95% certainty."""
    bot: str
    elo: float | None = None
    ci95: tuple[float, float] | None = None
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    provisional: bool = True
    score: float | None = None
    score_ci95: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """All lines, best first, and the digest of the rows and settings that they follow from."""

    digest: str
    lines: tuple[Line, ...]


class Tally(NamedTuple):
    """What an entrant's matches came to."""

    matches: int
    wins: int
    draws: int
    losses: int
    forfeits: int


def standing(
    rows: Iterable[Row],
    *,
    entrants: Sequence[str] = (),
    anchor: str | None = None,
    cooperative: bool = False,
    prior_elo: float = PRIOR_ELO,
    seat_term: bool = False,
) -> Standing:
    """The standing of everybody in the rows and of the further entrants named.

    Order and repetition of the rows change nothing. Who has no rows comes last, provisional.
    Raises ValueError where the rows contradict each other, an entrant meets itself, or a
    cooperative bout has no scores.
    """
    rows = in_order(rows)
    settings = {
        "method": METHOD,
        "entrants": sorted(set(entrants)),
        "anchor": anchor,
        "cooperative": cooperative,
        "prior_elo": prior_elo,
        "seat_term": seat_term,
    }
    if cooperative:
        lines, blank = _score_lines(rows), Line(0, (0, 0), "")
    else:
        lines, blank = _elo_lines(rows, anchor, prior_elo, seat_term)
    rest = set(entrants) - {line.bot for line in lines}
    everybody = len(lines) + len(rest)
    lines += [
        replace(blank, rank=len(lines) + 1, rank_range=(1, everybody), bot=bot) for bot in rest
    ]
    lines.sort(key=lambda line: (line.rank, line.bot))
    return Standing(digest_rows(rows, settings), tuple(lines))


def tally(rows: Iterable[Row]) -> dict[str, Tally]:
    """Every entrant's matches: won above, drawn at, lost below half of the points."""
    surplus: Counter[tuple[str, str]] = Counter()
    forfeits: Counter[str] = Counter()
    for row in rows:
        for entrant, half_won in zip(row.seats, half_points(row), strict=True):
            surplus[entrant, row.match] += half_won - (len(row.seats) - 1)
        if row.forfeit is not None:
            forfeits[row.seats[row.forfeit]] += 1
    results: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for (entrant, _), over in surplus.items():
        results[entrant][(over > 0) - (over < 0)] += 1
    return {
        entrant: Tally(signs.total(), signs[1], signs[0], signs[-1], forfeits[entrant])
        for entrant, signs in results.items()
    }


def _elo_lines(
    rows: Sequence[Row], anchor: str | None, prior_elo: float, seat_term: bool
) -> tuple[list[Line], Line]:
    """The lines of all who played, and what stands on the line of one who has not."""
    fitted = fit(rows, prior_elo=prior_elo, seat_term=seat_term, anchor=anchor)
    ranges = rank_ranges(fitted.strengths, fitted.covariance)
    halves = (WIDE * np.sqrt(np.diag(fitted.covariance))).tolist()
    elos = (fitted.zero + fitted.strengths).tolist()
    tallies = tally(rows)
    lines = [
        Line(rank, ranges[at], bot, elos[at], _around(elos[at], halves[at]), *tallies[bot])
        for at, (bot, rank) in enumerate(
            zip(fitted.entrants, _ranks(fitted.strengths), strict=True)
        )
    ]
    settled = [
        replace(line, provisional=2 * half > PROVISIONAL_ELO)
        for line, half in zip(lines, halves, strict=True)
    ]
    unplayed = _around(fitted.zero, WIDE * prior_elo) if isfinite(prior_elo) else None
    return settled, Line(0, (0, 0), "", fitted.zero, unplayed)


def _score_lines(rows: Sequence[Row]) -> list[Line]:
    board = score(rows)
    tallies = tally(rows)
    ranks, ranges, intervals = _ranks(board.means), board.ranges(), board.intervals()
    return [
        Line(
            rank=ranks[at],
            rank_range=ranges[at],
            bot=bot,
            matches=tallies[bot].matches,
            forfeits=tallies[bot].forfeits,
            provisional=bool(board.deals[at] < PROVISIONAL_DEALS),
            score=float(board.means[at]),
            score_ci95=intervals[at],
        )
        for at, bot in enumerate(board.entrants)
    ]


def _ranks(means: Floats) -> list[int]:
    """1 for the greatest; equals share a rank."""
    shown = np.round(means, DIGITS)
    return [1 + int((shown > one).sum()) for one in shown]


def _around(middle: float, half: float) -> tuple[float, float]:
    return middle - half, middle + half
