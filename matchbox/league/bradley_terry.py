"""Bradley-Terry in natural units: the most probable strengths and how far to trust them.

Knows comparisons as numbers; knows no names, no Elo and no rows.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import linalg, sparse
from scipy.special import expit

from matchbox.league.comparisons import Cells, Floats, Ints

MAX_STEPS: Final = 60
CLOSE: Final = 1e-9
FEW_DEALS: Final = 8.0
"""So many deals weigh as much as what the whole field says of the spread of a deal's result."""
MOST_OF_FIT: Final = 0.9
"""No deal is taken to have drawn more of the fit than this, however few there are."""
NO_RATING: Final = "no finite rating explains these rows; give a prior, or more rows"


def most_probable(cells: Cells, won: Floats, precision: Floats) -> Floats:
    """(width,): strengths, then seats, by Newton's method with halved steps.

    `won` (n,) is what the first took of each comparison; `precision` (width,) that of the prior
    around 0. Raises ValueError where the answer is infinite or not unique.
    """
    design = cells.design()
    played = np.bincount(cells.kind, minlength=design.shape[0]).astype(np.float64)
    taken = np.bincount(cells.kind, weights=won, minlength=design.shape[0])

    def objective(at: Floats) -> float:
        log_odds = design @ at
        likelihood = taken @ log_odds - played @ np.logaddexp(0.0, log_odds)
        return float(likelihood - 0.5 * precision @ at**2)

    at = np.zeros(cells.width)
    best = objective(at)
    for _ in range(MAX_STEPS):
        chance = expit(design @ at)
        slope = design.T @ (taken - played * chance) - precision * at
        bend = curvature(cells, design, played * chance * (1 - chance), precision)
        step = _solve(bend, slope)
        value = objective(at + step)
        while value < best - CLOSE * abs(best) and np.abs(step).max() > CLOSE:
            step = step / 2
            value = objective(at + step)
        at, best = at + step, value
        if np.abs(step).max(initial=0.0) < CLOSE:
            return at
    raise ValueError(NO_RATING)


def curvature(cells: Cells, design: sparse.csr_array, weights: Floats, precision: Floats) -> Floats:
    """(width, width): the information of the comparisons, plus that of the prior.

    Without a prior only differences are known: the mean strength and the mean seat are then
    held at 0, which changes no difference.
    """
    weighted = sparse.diags_array(weights) @ design
    bend: Floats = (design.T @ weighted).toarray()
    bend[np.diag_indices_from(bend)] += precision
    if not precision.all():
        bend[: cells.names, : cells.names] += 1.0
        bend[cells.names :, cells.names :] += 1.0
    return bend


def covariance(cells: Cells, won: Floats, deal: Ints, at: Floats, precision: Floats) -> Floats:
    """(width, width): the sandwich of the estimate `at`, clustered by deal.

    Bread: the inverse curvature. Filling: what the deals' residuals really spread, each enlarged
    for its own pull on the fit, as far as there are deals to tell; for the rest what the model
    expects, times the spread of the whole field. The prior counts on both sides, so that an
    entrant of whom nothing is known keeps the prior's width.
    """
    design = cells.design()
    chance = expit(design @ at)
    doubt = chance * (1 - chance)
    played = np.bincount(cells.kind, minlength=len(chance)).astype(np.float64)
    bread: Floats = linalg.inv(curvature(cells, design, played * doubt, precision))
    pull = (doubt * cells.spread(bread))[cells.kind]
    residual = (won - chance[cells.kind]) / (1 - _share_of_fit(cells, deal, pull))[deal]
    seen = _by_deal(cells, deal, residual) @ design
    filling: Floats = (seen.T @ seen).toarray()
    expected: Floats = (design.T @ (sparse.diags_array(played * doubt) @ design)).toarray()
    trust = np.sqrt(_trust(cells, deal, doubt))
    deals = seen.shape[0]
    field = (deals * _ratio(filling, expected) + FEW_DEALS) / (deals + FEW_DEALS)
    doubtful = np.sqrt(1 - trust**2)
    filling = np.outer(trust, trust) * filling
    filling += np.outer(doubtful, doubtful) * field * expected
    filling[np.diag_indices_from(filling)] += precision
    return np.asarray(bread @ filling @ bread)


def _solve(bend: Floats, slope: Floats) -> Floats:
    try:
        factor, lower = linalg.cho_factor(bend, lower=True)
    except linalg.LinAlgError:
        raise ValueError(NO_RATING) from None
    pivots = np.diag(factor)
    if pivots.min() < 1e-7 * pivots.max():
        raise ValueError(NO_RATING)
    return np.asarray(linalg.cho_solve((factor, lower), slope))


def _by_deal(cells: Cells, deal: Ints, values: Floats) -> sparse.csr_array:
    shape = (int(deal.max(initial=-1)) + 1, len(cells.columns))
    return sparse.csr_array((values, (deal, cells.kind)), shape=shape)


def _share_of_fit(cells: Cells, deal: Ints, pull: Floats) -> Floats:
    """(deals,): how far each deal drew the fit to itself, 0 to 1 per free direction of the deal."""
    places = (np.concatenate([deal, deal]), cells.columns[cells.kind, :2].T.ravel())
    sat = sparse.csr_array((np.ones(2 * len(deal)), places))
    sat.sum_duplicates()
    directions = np.maximum(np.diff(sat.indptr) - 1, 1)
    share: Floats = np.bincount(deal, weights=pull) / directions
    return np.minimum(share, MOST_OF_FIT)


def _trust(cells: Cells, deal: Ints, doubt: Floats) -> Floats:
    """(width,): what part of each column's spread its own deals tell, by how many were open.

    A deal whose results were as good as certain tells nothing: who has won everything has shown
    no spread yet.
    """
    ones = _by_deal(cells, deal, np.ones(len(deal)))
    open_ = _by_deal(cells, deal, 4 * doubt[cells.kind])
    inside = abs(cells.design())
    counts, opened = ones @ inside, open_ @ inside
    share = opened.multiply(counts.power(-1))
    deals = np.asarray(share.sum(axis=0)).ravel()
    return deals / (deals + FEW_DEALS)


def _ratio(filling: Floats, expected: Floats) -> float:
    most = float(np.trace(expected))
    return float(np.trace(filling)) / most if most > 0 else 1.0
