"""Strengths on the Elo scale: an online update for display, a batch fit for the standing.

Knows rows; does not know what a rating is used for. Elo is logistic, 400 / log 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import hypot, log, sqrt
from typing import Any, Final

import numpy as np
from openskill.models import PlackettLuce

from matchbox.league.bradley_terry import covariance, most_probable
from matchbox.league.pairwise import Floats, PairwiseResults
from matchbox.league.rows import Row, in_order, refuse_self_play

ELO: Final = 400 / log(10)
"""Elo per natural unit of strength."""
START: Final = 1500.0
"""The Elo that is printed for the mean of the field."""
PRIOR_ELO: Final = 350.0
PARENT_ELO: Final = 100.0
"""The prior standard deviation of a new version's Elo around its parent's."""
WIDE: Final = 1.959963984540054
"""Standard errors on each side of a 95% interval: the 0.975 quantile of the normal distribution."""


def _no_damping(*_: Any, **__: Any) -> float:
    return 1.0


_ONLINE: Final = PlackettLuce(gamma=_no_damping, tau=0)


@dataclass(frozen=True, slots=True)
class LiveRating:
    """A running rating in openskill's own units; new entrants start at its defaults."""

    mu: float = 25.0
    sigma: float = 25.0 / 3.0


def live_update(
    ratings: Mapping[str, LiveRating], played: Row | Iterable[Row]
) -> dict[str, LiveRating]:
    """All ratings after one bout, or after the bouts of one match in their own order.

    Raises ValueError if an entrant meets itself.
    """
    updated = dict(ratings)
    for row in (played,) if isinstance(played, Row) else in_order(played):
        refuse_self_play(row)
        before = [updated.get(entrant, LiveRating()) for entrant in row.seats]
        teams = [[_ONLINE.rating(mu=one.mu, sigma=one.sigma)] for one in before]
        if len(teams) > 1:
            after = _ONLINE.rate(teams, ranks=[float(place) for place in row.places])
            for entrant, (one,) in zip(row.seats, after, strict=True):
                updated[entrant] = LiveRating(one.mu, one.sigma)
    return updated


def live_scale(table: int = 2) -> float:
    """Elo per openskill unit, between settled players at a table with that many seats."""
    return ELO / (sqrt(table) * _ONLINE.beta)


def elo_of(live: LiveRating, *, table: int = 2) -> tuple[float, float]:
    """The Elo of a running rating, and half the width of its 95% interval."""
    scale = live_scale(table)
    return START + scale * (live.mu - _ONLINE.mu), WIDE * scale * live.sigma


def live_of(elo: float, half_width: float, *, table: int = 2) -> LiveRating:
    """The running rating that shows these figures; after a refit, the next update needs it."""
    scale = live_scale(table)
    return LiveRating(_ONLINE.mu + (elo - START) / scale, half_width / (WIDE * scale))


def live_child(parent: LiveRating, *, table: int = 2) -> LiveRating:
    """A new version's first running rating: its parent's, with PARENT_ELO more uncertainty."""
    return LiveRating(parent.mu, hypot(parent.sigma, PARENT_ELO / live_scale(table)))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Bradley-Terry strengths of n entrants, in Elo around a mean of zero.

    Attributes:
        entrants: in alphabetical order, as are all arrays below.
        strengths: (n,).
        covariance: (n, n), of the strengths with their mean held at zero.
        seats: the strength of each seat relative to the mean seat; empty without a seat term.
    """

    entrants: tuple[str, ...]
    strengths: Floats
    covariance: Floats
    seats: tuple[float, ...]

    def elo(self, entrant: str) -> float:
        """An entrant's Elo, as printed."""
        return START + float(self.strengths[self.entrants.index(entrant)])

    def half_width(self, entrant: str) -> float:
        """Half of the 95% interval, in Elo."""
        at = self.entrants.index(entrant)
        return WIDE * sqrt(self.covariance[at, at])


def fit_strengths(
    results: PairwiseResults,
    *,
    prior_elo: float = PRIOR_ELO,
    parents: Mapping[str, str] | None = None,
) -> Fit:
    """The most probable strengths under a prior N(0, prior_elo) on each; a draw is half a win.

    A version that names its parent in `parents` has the prior N(parent, PARENT_ELO) instead, if the
    parent has played. A seat term is fitted if the results have seats.

    Raises ValueError if a strength is infinite or unknown, which can happen only without a prior
    (`prior_elo` infinite).
    """
    if not prior_elo > 0:
        raise ValueError(
            "the prior needs a standard deviation above 0 Elo; use infinity for no prior"
        )
    if not results.entrants:
        return Fit((), np.zeros(0), np.zeros((0, 0)), ())
    design = results.design()
    entrants = design.entrant_count
    precision = _precision(results, design.column_count, prior_elo, parents or {})
    found = most_probable(design, results, precision)
    variance = _around_mean(covariance(design, results, found, precision)[:entrants, :entrants])
    variance *= ELO**2
    strengths = ELO * (found[:entrants] - found[:entrants].mean())
    return Fit(
        results.entrants,
        strengths,
        variance,
        tuple((ELO * found[entrants:]).tolist()),
    )


def _precision(
    results: PairwiseResults, count: int, prior_elo: float, parents: Mapping[str, str]
) -> Floats:
    """(count, count): the precision of the prior, around 0 or, for a child, around its parent."""
    precision = np.diag(np.full(count, (ELO / prior_elo) ** 2))
    index = {entrant: number for number, entrant in enumerate(results.entrants)}
    for child, parent in parents.items():
        if child in index and parent in index:
            one, other = index[child], index[parent]
            close = (ELO / min(PARENT_ELO, prior_elo)) ** 2
            precision[one, one] += close - (ELO / prior_elo) ** 2
            precision[other, other] += close
            precision[[one, other], [other, one]] -= close
    return precision


def _around_mean(covariance: Floats) -> Floats:
    """The covariance (n, n) of the values minus their mean."""
    across = covariance.mean(axis=0)
    centred: Floats = covariance - across
    centred -= across[:, None]
    centred += across.mean()
    centred += centred.T
    centred /= 2
    return centred
