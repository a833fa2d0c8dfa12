"""Bradley-Terry in natural units: the most probable strengths and their covariance.

Knows comparisons as numbers; knows no names, no Elo and no rows. The model: R. A. Bradley and M. E.
Terry ("Rank analysis of incomplete block designs", 1952); the covariance is the sandwich of H.
White (1982), clustered as by K.-Y. Liang and S. L. Zeger (1986), each cluster enlarged for its
leverage as by R. M. Bell and D. F. McCaffrey (2002).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import linalg, sparse
from scipy.special import expit

from matchbox.league.comparisons import Cells, Comparisons, Floats

MAX_STEPS: Final = 60
CLOSE: Final = 1e-9
FEW_DEALS: Final = 8.0
"""The field's estimate of a deal's spread weighs as much as this many deals."""
MOST_OF_FIT: Final = 0.9
"""A deal's share of the fit is taken to be at most this, however few deals there are."""
LARGE_FIELD: Final = 1000
"""In a larger field errors use an entrant's own information only: within 2.4% of the exact ones."""
NO_RATING: Final = "no finite rating explains these rows; give a prior, or more rows"


def most_probable(cells: Cells, compared: Comparisons, precision: Floats) -> Floats:
    """(width,): strengths, then seats, by Newton's method with halved steps.

    `precision` (width, width) belongs to the prior around 0. Raises ValueError if the result is
    infinite or not unique.
    """
    times = compared.times[compared.deal]
    played, taken = cells.total(times * compared.met), cells.total(times * compared.won)

    def objective(at: Floats) -> float:
        log_odds = cells.log_odds(at)
        likelihood = taken @ log_odds - played @ np.logaddexp(0.0, log_odds)
        return float(likelihood - 0.5 * at @ precision @ at)

    at = np.zeros(cells.width)
    best = objective(at)
    for _ in range(MAX_STEPS):
        chance = expit(cells.log_odds(at))
        gradient = cells.pull(taken - played * chance) - precision @ at
        step = _solve(curvature(cells, played * chance * (1 - chance), precision), gradient)
        value = objective(at + step)
        while value < best - CLOSE * abs(best) and np.abs(step).max() > CLOSE:
            step = step / 2
            value = objective(at + step)
        at, best = at + step, value
        # The error after a step of Newton's is of the order of its square.
        if np.abs(step).max(initial=0.0) < np.sqrt(CLOSE) / 10:
            return at
    raise ValueError(NO_RATING)


def curvature(cells: Cells, weights: Floats, precision: Floats) -> Floats:
    """(width, width): the information of the comparisons, plus the prior's.

    Without a prior only differences are determined. Then the mean strength and the mean seat are
    held at 0, which changes no difference.
    """
    information = cells.gram(weights) + precision
    if not np.diag(precision).all():
        information[: cells.names, : cells.names] += 1.0
        information[cells.names :, cells.names :] += 1.0
    return information


def covariance(cells: Cells, compared: Comparisons, at: Floats, precision: Floats) -> Floats:
    """(width, width): the sandwich of the estimate `at`, clustered by deal.

    Bread: the inverse curvature. Filling: the observed spread of the deals' residuals, each
    enlarged for its leverage, as far as there are enough deals; for the rest the spread that the
    model expects, times the spread of the whole field. The prior counts in both, so an entrant
    without any results keeps the prior's width. In a large field only the bread's diagonal is used.
    """
    chance = expit(cells.log_odds(at))
    doubt = chance * (1 - chance)
    weights = doubt * cells.total(compared.times[compared.deal] * compared.met)
    expected, information = cells.gram(weights), curvature(cells, weights, precision)
    large = cells.names > LARGE_FIELD
    bread: Floats = np.diag(1 / np.diag(information)) if large else linalg.inv(information)
    residual = compared.won - compared.met * chance[cells.kind]
    inside = _by_deal(cells, compared, compared.met)
    pull = (doubt * cells.spread(bread))[cells.kind] * compared.met
    residual /= (1 - _share_of_fit(cells, compared, inside, pull))[compared.deal]
    seen = _by_deal(cells, compared, residual, signs=cells.signs)
    filling: Floats = (
        seen.T @ (sparse.diags_array(compared.times.astype(np.float64)) @ seen)
    ).toarray()
    trust = np.sqrt(_trust(cells, compared, inside, doubt))
    deals = int(compared.times.sum())
    field = (deals * _ratio(filling, expected) + FEW_DEALS) / (deals + FEW_DEALS)
    doubtful = np.sqrt(1 - trust**2)
    filling = np.outer(trust, trust) * filling
    filling += np.outer(doubtful, doubtful) * field * expected + precision
    if large:
        return np.asarray(np.diag(np.diag(filling) * np.diag(bread) ** 2))
    return np.asarray(bread @ filling @ bread)


def _solve(information: Floats, gradient: Floats) -> Floats:
    try:
        factor, lower = linalg.cho_factor(information, lower=True)
    except linalg.LinAlgError:
        raise ValueError(NO_RATING) from None
    pivots = np.diag(factor)
    if pivots.min() < 1e-7 * pivots.max():
        raise ValueError(NO_RATING)
    return np.asarray(linalg.cho_solve((factor, lower), gradient))


def _by_deal(
    cells: Cells, compared: Comparisons, values: Floats, signs: Floats | None = None
) -> sparse.csr_array:
    """(deals, width): these (n,) values of lines, by deal, in the columns of their kinds."""
    columns = cells.columns[cells.kind]
    data = np.outer(values, np.ones(columns.shape[1]) if signs is None else signs)
    places = (np.repeat(compared.deal, columns.shape[1]), columns.ravel())
    shape = (len(compared.times), cells.width)
    return sparse.csr_array((data.ravel(), places), shape=shape)


def _share_of_fit(
    cells: Cells, compared: Comparisons, inside: sparse.csr_array, pull: Floats
) -> Floats:
    """(deals,): each deal's leverage, 0 to 1 per free direction of the deal."""
    deals = np.repeat(np.arange(inside.shape[0]), np.diff(inside.indptr))
    sat = np.bincount(deals[inside.indices < cells.names], minlength=inside.shape[0])
    share = np.bincount(compared.deal, weights=pull, minlength=len(sat)) / np.maximum(sat - 1, 1)
    return np.minimum(share, MOST_OF_FIT)


def _trust(cells: Cells, compared: Comparisons, inside: sparse.csr_array, doubt: Floats) -> Floats:
    """(width,): how far each column's spread is taken from its own deals; more with more open ones.

    A deal whose results were almost certain tells nothing: an entrant that has won everything has
    shown no spread yet.
    """
    opened = _by_deal(cells, compared, 4 * doubt[cells.kind] * compared.met)
    times = np.repeat(compared.times, np.diff(inside.indptr))
    share = times * opened.data / inside.data
    deals = np.bincount(inside.indices, weights=share, minlength=cells.width)
    return deals / (deals + FEW_DEALS)


def _ratio(filling: Floats, expected: Floats) -> float:
    most = float(np.trace(expected))
    return float(np.trace(filling)) / most if most > 0 else 1.0
