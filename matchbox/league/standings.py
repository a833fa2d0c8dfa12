"""The official standing: a pure function of rows and settings. Knows no page and no season."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import Final, NamedTuple

import numpy as np

from matchbox.league.comparisons import Bools, Comparisons, Floats, without_seats
from matchbox.league.cooperative_boards import mixed_board, score
from matchbox.league.counts import Counts, count
from matchbox.league.line import By, Line
from matchbox.league.ranges import p_better, p_champion, rank_ranges
from matchbox.league.ratings import ELO, PRIOR_ELO, WIDE, Fit, fit_comparisons
from matchbox.league.rows import Row, digest_matches
from matchbox.league.transitivity import LackOfFit, borda, chances_of, lack_of_fit, nash

METHOD: Final = 4
"""Part of every digest; it goes up if the same rows would give different figures."""
PROVISIONAL_ELO: Final = 100.0
"""Elo: a line with a wider interval is provisional."""
PROVISIONAL_DEALS: Final = 20
"""On a cooperative board, a line with fewer deals is provisional."""
DIGITS: Final = 6
"""Entrants whose Elo or score is equal to this many decimals share a rank."""
LACKING: Final = 0.01
"""Below this p-value the strengths do not explain the results, and Borda's scores rank."""


@dataclass(frozen=True, slots=True)
class Standing:
    """All lines, best first, and the digest of the rows and settings behind them."""

    digest: str
    lines: tuple[Line, ...]
    by: By = "elo"
    """The figure that ranks: Elo, Borda's score if Elo does not fit, or a cooperative score."""
    lack: LackOfFit | None = None
    """None on a cooperative board, and if there are too few rows for the test."""
    deals: int = 0
    """The number of deals, which are the clusters of the intervals."""


class _Basis(NamedTuple):
    """The figure that ranks. For Borda, also comparisons without seats, and natural strengths."""

    by: By
    lack: LackOfFit | None = None
    compared: Comparisons | None = None
    strengths: Floats | None = None


def standing(
    rows: Iterable[Row],
    *,
    entrants: Sequence[str] = (),
    listed: Collection[str] | None = None,
    anchor: str | None = None,
    cooperative: bool = False,
    prior_elo: float = PRIOR_ELO,
    seat_term: bool = False,
    parents: Mapping[str, str] | None = None,
) -> Standing:
    """The standing of everybody in the rows and of the other `entrants`.

    The order and repetitions of the rows do not matter. Entrants without rows come last, as
    provisional. If `listed` is given, only these entrants are ranked; the results of the others
    still count as evidence. `parents` as in `ratings.fit`. Raises ValueError if the rows contradict
    each other, an entrant meets itself, or a cooperative bout has no scores.
    """
    counts = count(rows, seat_term=seat_term, cooperative=cooperative)
    return standing_of(
        counts,
        entrants=entrants,
        listed=listed,
        anchor=anchor,
        cooperative=cooperative,
        prior_elo=prior_elo,
        seat_term=seat_term,
        parents=parents,
    )


def standing_of(
    counts: Counts,
    *,
    entrants: Sequence[str] = (),
    listed: Collection[str] | None = None,
    anchor: str | None = None,
    cooperative: bool = False,
    prior_elo: float = PRIOR_ELO,
    seat_term: bool = False,
    parents: Mapping[str, str] | None = None,
) -> Standing:
    """The same as `standing`, from counts made with the same `seat_term` and `cooperative`.

    The digest is over the settings and the digest of each match's rows.
    """
    settings = {
        "method": METHOD,
        "entrants": sorted(set(entrants)),
        "listed": None if listed is None else sorted(set(listed)),
        "anchor": anchor,
        "cooperative": cooperative,
        "prior_elo": prior_elo,
        "seat_term": seat_term,
        "parents": dict(parents or {}),
    }
    if cooperative:
        lines, blank, basis = _score_lines(counts, listed), Line(0, (0, 0), ""), _Basis("score")
    else:
        fitted = fit_comparisons(
            counts.compared, prior_elo=prior_elo, anchor=anchor, parents=parents
        )
        basis = _transitivity(counts.compared, fitted)
        lines = _elo_lines(fitted, counts, listed, basis)
        unplayed = _around(fitted.zero, WIDE * prior_elo) if isfinite(prior_elo) else None
        blank = Line(0, (0, 0), "", fitted.zero, unplayed)
    rest = set(entrants) - {line.bot for line in lines}
    if listed is not None:
        rest &= set(listed)
    everybody = len(lines) + len(rest)
    lines += [
        replace(blank, rank=len(lines) + 1, rank_range=(1, everybody), bot=bot) for bot in rest
    ]
    if cooperative:
        lines = _with_mixed(lines, counts)
    lines.sort(key=lambda line: (line.rank, line.bot))
    digest = digest_matches(counts.matches, settings)
    return Standing(digest, tuple(lines), basis.by, basis.lack, counts.number_of_deals)


def _transitivity(compared: Comparisons, fitted: Fit) -> _Basis:
    """Tests whether strengths explain the results; the seats play no part in it."""
    if compared.seats:
        compared = without_seats(compared)
        fitted = fit_comparisons(compared)
    strengths = fitted.strengths / ELO
    lack = lack_of_fit(compared, strengths)
    if lack is None or lack.p >= LACKING:
        return _Basis("elo", lack)
    return _Basis("borda", lack, compared, strengths)


def _elo_lines(
    fitted: Fit, counts: Counts, listed: Collection[str] | None, basis: _Basis
) -> list[Line]:
    """The lines of all listed entrants that have played."""
    shown = _shown(fitted.entrants, listed)
    halves = (WIDE * np.sqrt(np.diag(fitted.covariance))).tolist()
    elos = (fitted.zero + fitted.strengths).tolist()
    lines = [
        Line(
            0,
            (0, 0),
            fitted.entrants[at],
            elos[at],
            _around(elos[at], halves[at]),
            **counts.tallies[fitted.entrants[at]]._asdict(),
            provisional=2 * halves[at] > PROVISIONAL_ELO,
        )
        for at in shown
    ]
    if basis.compared is None or basis.strengths is None:
        return _ranked(lines, fitted.strengths[shown], fitted.covariance[np.ix_(shown, shown)])
    return _borda_lines(lines, shown, basis.compared, basis.strengths)


def _borda_lines(
    lines: Sequence[Line], shown: Sequence[int], compared: Comparisons, strengths: Floats
) -> list[Line]:
    scores = borda(compared, strengths)
    _, odds = nash(chances_of(compared, strengths))
    halves = (WIDE * np.sqrt(np.diag(scores.covariance))).tolist()
    means = scores.means.tolist()
    scored = [
        replace(
            line,
            score=means[at],
            score_ci95=_around(means[at], halves[at]),
            nash=ELO * float(odds[at]),
        )
        for at, line in zip(shown, lines, strict=True)
    ]
    return _ranked(scored, scores.means[shown], scores.covariance[np.ix_(shown, shown)])


def _score_lines(counts: Counts, listed: Collection[str] | None) -> list[Line]:
    """The board of each bot with copies of itself."""
    board = score(counts.scored.part(mixed=False))
    intervals = board.intervals()
    shown = _shown(board.entrants, listed)
    lines = [
        Line(
            0,
            (0, 0),
            board.entrants[at],
            matches=counts.tallies[board.entrants[at]].matches,
            forfeits=counts.tallies[board.entrants[at]].forfeits,
            provisional=bool(board.deals[at] < PROVISIONAL_DEALS),
            score=float(board.means[at]),
            score_ci95=intervals[at],
        )
        for at in shown
    ]
    part = board.only(shown)
    return _ranked(lines, part.means, part.covariance, part.ranges(), part.unknown)


def _with_mixed(lines: Sequence[Line], counts: Counts) -> list[Line]:
    """The lines with their ranks on the board of mixed teams."""
    board = mixed_board(counts.scored.part(mixed=True))
    part = board.only(_shown(board.entrants, {line.bot for line in lines}))
    columns = zip(
        part.entrants,
        _ranks(part.means),
        part.ranges(),
        part.means.tolist(),
        part.intervals(),
        strict=True,
    )
    places = {bot: place for bot, *place in columns}
    fields = ("mixed_rank", "mixed_range", "mixed_score", "mixed_ci95")
    return [
        replace(line, **dict(zip(fields, places[line.bot], strict=True)))
        if line.bot in places
        else line
        for line in lines
    ]


def _ranked(
    lines: Sequence[Line],
    means: Floats,
    covariance: Floats,
    ranges: Sequence[tuple[int, int]] | None = None,
    unknown: Bools | None = None,
) -> list[Line]:
    """The lines with their ranks and probabilities; unknown ones get no probabilities."""
    ranks = _ranks(means)
    ranges = rank_ranges(means, covariance) if ranges is None else ranges
    hidden = np.zeros(len(lines), dtype=np.bool_) if unknown is None else unknown
    able = [at for at, (best, _) in enumerate(ranges) if best == 1 and not hidden[at]]
    champion = dict.fromkeys(range(len(lines)), 0.0)
    champion |= zip(
        able, p_champion(means[able], covariance[np.ix_(able, able)]).tolist(), strict=True
    )
    order = sorted(range(len(lines)), key=lambda at: (ranks[at], lines[at].bot))
    below = dict(pairwise(order))
    return [
        replace(
            line,
            rank=ranks[at],
            rank_range=ranges[at],
            p_champion=None if hidden[at] else champion[at],
            p_better=None
            if at not in below or hidden[at] or hidden[below[at]]
            else p_better(means, covariance, at, below[at]),
        )
        for at, line in enumerate(lines)
    ]


def _shown(entrants: Sequence[str], listed: Collection[str] | None) -> list[int]:
    return [at for at, one in enumerate(entrants) if listed is None or one in listed]


def _ranks(means: Floats) -> list[int]:
    """1 for the greatest; equals share a rank."""
    shown = np.round(means, DIGITS)
    return [1 + int((shown > one).sum()) for one in shown]


def _around(middle: float, half: float) -> tuple[float, float]:
    return middle - half, middle + half
