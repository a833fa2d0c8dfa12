"""The official standing: a pure function of rows and settings. Knows no page and no season."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import Final, NamedTuple, TypedDict, Unpack

import numpy as np

from matchbox.league.cooperative_boards import mixed_board, score
from matchbox.league.counts import Counts, count
from matchbox.league.expected_scores import expected_scores, nash
from matchbox.league.line import PROVISIONAL_ELO, By, Line
from matchbox.league.pairwise import Floats, Ints, PairwiseResults, without_seats
from matchbox.league.posterior import posterior
from matchbox.league.ranges import ENOUGH_DEALS, rank_ranges
from matchbox.league.ratings import ELO, PRIOR_ELO, START, WIDE, Fit, fit_strengths
from matchbox.league.rows import Row, digest_matches
from matchbox.league.transitivity import LackOfFit, Upset, lack_of_fit, verdict

METHOD: Final = 7
"""Part of every digest; it goes up if the same rows would give different figures. A new
field alone does not raise it."""
WITHOUT_HELD: Final = 4
"""The last method whose digests leave out `held`: whether Borda ranks only because it ranked
before."""
DIGITS: Final = 6
"""Entrants whose Elo or score is equal to this many decimals share a rank."""


@dataclass(frozen=True, slots=True)
class Standing:
    """All lines, best first, and the digest of the rows and settings behind them."""

    digest: str
    lines: tuple[Line, ...]
    by: By = "elo"
    """The figure that ranks: Elo, Borda's score if Elo misleads, or a cooperative score."""
    lack: LackOfFit | None = None
    """None on a cooperative board, and if there are too few rows for the test."""
    deals: int = 0
    """The number of deals, which are the clusters of the intervals."""
    upsets: tuple[Upset, ...] = ()
    """If Borda ranks: entrants that surely beat one that ranks above them."""


class _Basis(NamedTuple):
    """The figure that ranks. For Borda, also results without seats, and natural strengths."""

    by: By
    held: bool = False
    upsets: tuple[Upset, ...] = ()
    lack: LackOfFit | None = None
    results: PairwiseResults | None = None
    strengths: Floats | None = None


class Settings(TypedDict, total=False):
    """The settings of a standing, which its digest holds; `DEFAULTS` has the usual ones."""

    entrants: Sequence[str]
    """Entrants to list beside those in the rows; without rows they come last, as provisional."""
    listed: Collection[str] | None
    """If given, only these are ranked; the results of the others still count as evidence."""
    cooperative: bool
    prior_elo: float
    seat_term: bool
    parents: Mapping[str, str] | None
    """As in `ratings.fit_strengths`, as is `prior_elo`; `seat_term` is as in `pairwise.compare`."""


DEFAULTS: Final[Settings] = {
    "entrants": (),
    "listed": None,
    "cooperative": False,
    "prior_elo": PRIOR_ELO,
    "seat_term": False,
    "parents": None,
}


def standing(
    rows: Iterable[Row], *, before: By | None = None, **settings: Unpack[Settings]
) -> Standing:
    """The standing of everybody in the rows and of the other `entrants`.

    The order and repetitions of the rows do not matter. `before` is the figure that ranked last:
    results near a limit keep it (`transitivity.verdict`). Raises ValueError if the rows contradict
    each other, an entrant meets itself, or a cooperative bout has no scores.
    """
    chosen: Settings = {**DEFAULTS, **settings}
    counts = count(rows, seat_term=chosen["seat_term"], cooperative=chosen["cooperative"])
    return standing_of(counts, before=before, **chosen)


def standing_of(
    counts: Counts, *, before: By | None = None, **settings: Unpack[Settings]
) -> Standing:
    """Returns the standing from counts that were made with the same `seat_term` and `cooperative`.

    The digest is over the settings and the digest of each match's rows. It includes `before` only
    by whether that decided the figure that ranks.
    """
    chosen: Settings = {**DEFAULTS, **settings}
    cooperative, listed, prior_elo = chosen["cooperative"], chosen["listed"], chosen["prior_elo"]
    if cooperative:
        lines, blank, basis = _score_lines(counts, listed), Line(0, (0, 0), ""), _Basis("score")
    else:
        fitted = fit_strengths(counts.pairwise, prior_elo=prior_elo, parents=chosen["parents"])
        basis = _transitivity(counts.pairwise, fitted, before, chosen)
        lines = _elo_lines(fitted, counts, listed, basis)
        unplayed = _around(START, WIDE * prior_elo) if isfinite(prior_elo) else None
        blank = Line(0, (0, 0), "", START, unplayed)
    lines += _unplayed(lines, blank, chosen["entrants"], listed)
    if cooperative:
        lines = _with_mixed(lines, counts)
    lines.sort(key=lambda line: (line.rank, line.bot))
    digest = digest_of(counts, held=basis.held, **chosen)
    upsets = _against_rank(basis.upsets, lines)
    return Standing(digest, tuple(lines), basis.by, basis.lack, counts.number_of_deals, upsets)


def digest_of(
    counts: Counts, *, held: bool = False, method: int = METHOD, **settings: Unpack[Settings]
) -> str:
    """The digest of a standing with these counts and settings, by this or an earlier method.

    `held` is that of `transitivity.Verdict`; methods up to `WITHOUT_HELD` leave it out.
    """
    chosen: Settings = {**DEFAULTS, **settings}
    listed = chosen["listed"]
    details: dict[str, object] = {
        **chosen,
        "anchor": None,  # It stays, so that earlier digests hold.
        "method": method,
        "entrants": sorted(set(chosen["entrants"])),
        "listed": None if listed is None else sorted(set(listed)),
        "parents": dict(chosen["parents"] or {}),
    }
    if method > WITHOUT_HELD:
        details["held"] = held
    return digest_matches(counts.matches, details)


def _unplayed(
    lines: Sequence[Line], blank: Line, entrants: Sequence[str], listed: Collection[str] | None
) -> list[Line]:
    """The lines of listed entrants without rows, after these lines."""
    rest = set(entrants) - {line.bot for line in lines}
    if listed is not None:
        rest &= set(listed)
    everybody = len(lines) + len(rest)
    return [replace(blank, rank=len(lines) + 1, rank_range=(1, everybody), bot=bot) for bot in rest]


def _against_rank(upsets: Sequence[Upset], lines: Sequence[Line]) -> tuple[Upset, ...]:
    """The upsets of which both are ranked, the winner below the loser."""
    place = {line.bot: line.rank for line in lines}
    ranked = [one for one in upsets if one.winner in place and one.loser in place]
    return tuple(one for one in ranked if place[one.winner] > place[one.loser])


def _transitivity(
    results: PairwiseResults, fitted: Fit, before: By | None, chosen: Settings
) -> _Basis:
    """Decides which figure ranks; the seats play no part in it."""
    if results.seats:
        results = without_seats(results)
        fitted = fit_strengths(results, prior_elo=chosen["prior_elo"], parents=chosen["parents"])
    strengths = fitted.strengths / ELO
    lack = lack_of_fit(results, strengths)
    found = verdict(results, strengths, fitted.covariance / ELO**2, before)
    if found.by == "elo":
        return _Basis("elo", lack=lack)
    return _Basis("borda", found.held, found.upsets, lack, results, strengths)


def _elo_lines(
    fitted: Fit, counts: Counts, listed: Collection[str] | None, basis: _Basis
) -> list[Line]:
    """The lines of all listed entrants that have played."""
    shown = _shown(fitted.entrants, listed)
    halves = (WIDE * np.sqrt(np.diag(fitted.covariance))).tolist()
    elos = (START + fitted.strengths).tolist()
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
    if basis.results is None or basis.strengths is None:
        return _ranked(lines, fitted.strengths[shown], _among(fitted.covariance, shown))
    return _borda_lines(lines, shown, basis.results, basis.strengths)


def _borda_lines(
    lines: Sequence[Line], shown: Sequence[int], results: PairwiseResults, strengths: Floats
) -> list[Line]:
    """The lines with their scores against the others that are shown."""
    scores = expected_scores(results, strengths, shown)
    means, covariance = scores.means[shown], _among(scores.covariance, shown)
    _, odds = nash(_among(scores.chances, shown))
    halves = (WIDE * np.sqrt(np.diag(covariance))).tolist()
    scored = [
        replace(
            line,
            score=middle,
            score_ci95=(max(middle - half, 0.0), min(middle + half, 1.0)),
            nash=ELO * float(odd),
            opponents=int(scores.opponents[at]),
            estimated=int(scores.estimated[at]),
        )
        for at, line, middle, half, odd in zip(
            shown, lines, means.tolist(), halves, odds.tolist(), strict=True
        )
    ]
    return _ranked(scored, means, covariance)


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
            provisional=bool(board.deals[at] < ENOUGH_DEALS),
            score=float(board.means[at]),
            score_ci95=intervals[at],
        )
        for at in shown
    ]
    part = board.only(shown)
    return _ranked(lines, part.means, part.covariance, part.ranges(), part.deals)


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
    deals: Ints | None = None,
) -> list[Line]:
    """The lines with their ranks and probabilities.

    If `deals` (n,) is given, the errors follow Student's t, and lines with fewer than
    `ENOUGH_DEALS` get no probabilities.
    """
    ranks = _ranks(means)
    ranges = rank_ranges(means, covariance) if ranges is None else ranges
    rated = [at for at in range(len(lines)) if deals is None or deals[at] >= ENOUGH_DEALS]
    known = posterior(
        means[rated],
        _among(covariance, rated),
        settled=np.array([not lines[at].provisional for at in rated], dtype=np.bool_),
        freedom=None if deals is None else (deals[rated] - 1).astype(np.float64),
    )
    able = [number for number, at in enumerate(rated) if ranges[at][0] == 1]
    champion = dict.fromkeys(rated, 0.0)
    champion |= zip([rated[one] for one in able], known.p_champion(able).tolist(), strict=True)
    order = sorted(range(len(lines)), key=lambda at: (ranks[at], lines[at].bot))
    below = dict(pairwise(order))
    number = {at: one for one, at in enumerate(rated)}
    return [
        replace(
            line,
            rank=ranks[at],
            rank_range=ranges[at],
            p_champion=champion.get(at),
            p_better=known.p_better(number[at], number[below[at]])
            if at in number and below.get(at) in number
            else None,
        )
        for at, line in enumerate(lines)
    ]


def _shown(entrants: Sequence[str], listed: Collection[str] | None) -> list[int]:
    return [at for at, one in enumerate(entrants) if listed is None or one in listed]


def _among(square: Floats, places: Sequence[int]) -> Floats:
    """The lines and columns of a square array at these places, which are in order.

    It is the array itself if these are all: one of ten thousand bots takes 800 MB.
    """
    return square if len(places) == len(square) else square[np.ix_(places, places)]


def _ranks(means: Floats) -> list[int]:
    """1 for the greatest; equals share a rank."""
    shown = np.round(means, DIGITS)
    return [1 + int((shown > one).sum()) for one in shown]


def _around(middle: float, half: float) -> tuple[float, float]:
    return middle - half, middle + half
