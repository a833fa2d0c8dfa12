"""Bradley-Terry in natural units: the most probable strengths and their covariance.

Knows comparisons as numbers; knows no names, no Elo and no rows. The model: R. A. Bradley and M. E.
Terry ("Rank analysis of incomplete block designs", 1952); the covariance is the sandwich of H.
White (1982), clustered as by K.-Y. Liang and S. L. Zeger (1986), each cluster enlarged for its
leverage as by R. M. Bell and D. F. McCaffrey (2002).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import scipy

from matchbox.league.comparisons import Cells, Comparisons, Floats

MAX_STEPS: Final = 60
CLOSE: Final = 1e-9
SAFE_STEP: Final = 1.5
"""A step of Newton's that changes no log odds by more than this never needs to be halved: up to
1.79 it makes the result more probable (F. Bach, "Self-concordant analysis for logistic regression",
2010, proposition 1)."""
FEW_DEALS: Final = 8.0
"""The field's estimate of a deal's spread weighs as much as this many deals."""
MAX_LEVERAGE: Final = 0.9
"""A deal's share of the fit is taken to be at most this, however few deals there are."""
LARGE_FIELD: Final = 1000
"""In a larger field errors use an entrant's own information only: within 2.4% of the exact ones.
With a prior, steps are then found by conjugate gradients, which need no matrix of all pairs."""
STEP_ERROR: Final = 1e-3
"""The error of such a step, as a share of the gradient; the next step corrects it."""
NO_RATING: Final = "no finite rating explains these rows; give a prior, or more rows"


def most_probable(cells: Cells, compared: Comparisons, precision: Floats) -> Floats:
    """(width,): strengths, then seats, by Newton's method with halved steps.

    `precision` (width, width) belongs to the prior around 0. Raises ValueError if the result is
    infinite or not unique. In a large field the steps are truncated (R. S. Dembo and T. Steihaug,
    "Truncated-Newton algorithms for large-scale unconstrained optimization", 1983), which changes
    no strength by more than 1e-6.
    """
    prior: Floats | scipy.sparse.csr_array = precision
    solve = _exact(cells, precision)
    if cells.names > LARGE_FIELD and np.diag(precision).all():
        prior = scipy.sparse.csr_array(precision)
        solve = _truncated(cells, prior)
    times = compared.times[compared.deal]
    played, taken = cells.total(times * compared.met), cells.total(times * compared.won)

    def objective(at: Floats) -> float:
        log_odds = cells.log_odds(at)
        likelihood = taken @ log_odds - played @ np.logaddexp(0.0, log_odds)
        return float(likelihood - 0.5 * at @ (prior @ at))

    at = np.zeros(cells.width)
    for _ in range(MAX_STEPS):
        chance = scipy.special.expit(cells.log_odds(at))
        gradient = cells.pull(taken - played * chance) - prior @ at
        step = solve(played * chance * (1 - chance), gradient)
        if np.abs(cells.log_odds(step)).max(initial=0.0) > SAFE_STEP:
            best = objective(at)
            while objective(at + step) < best - CLOSE * abs(best) and np.abs(step).max() > CLOSE:
                step = step / 2
        at = at + step
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
    chance = scipy.special.expit(cells.log_odds(at))
    doubt = chance * (1 - chance)
    weights = doubt * cells.total(compared.times[compared.deal] * compared.met)
    inside = _by_deal(cells, compared, compared.met)
    trust = np.sqrt(_trust(cells, compared, inside, doubt))
    doubtful = np.sqrt(1 - trust**2)
    if cells.names > LARGE_FIELD:
        mass, prior = cells.masses(weights), np.diag(precision)
        own: Floats = 1 / (mass + prior)
        seen = _residuals(cells, compared, chance, inside, doubt * cells.reach(own))
        scatter: Floats = seen.power(2).T @ compared.times.astype(np.float64)
        field = _field(cells, compared, doubt, scatter, mass)
        scatter = trust**2 * scatter + doubtful**2 * field * mass + prior
        return np.diag(own**2 * scatter)
    expected, information = cells.gram(weights), curvature(cells, weights, precision)
    bread = scipy.linalg.inv(information)
    seen = _residuals(cells, compared, chance, inside, doubt * cells.spread(bread))
    filling: Floats = (
        seen.T @ (scipy.sparse.diags_array(compared.times.astype(np.float64)) @ seen)
    ).toarray()
    field = _field(cells, compared, doubt, np.diag(filling), np.diag(expected))
    filling = np.outer(trust, trust) * filling
    filling += np.outer(doubtful, doubtful) * field * expected + precision
    return np.asarray(bread @ filling @ bread)


def _exact(cells: Cells, precision: Floats) -> Callable[[Floats, Floats], Floats]:
    """Solves Newton's equations, for weights of the kinds and a gradient, by a Cholesky factor."""
    return lambda weights, gradient: _solve(curvature(cells, weights, precision), gradient)


def _truncated(cells: Cells, prior: scipy.sparse.csr_array) -> Callable[[Floats, Floats], Floats]:
    """The same by conjugate gradients, preconditioned by the diagonal; it needs a prior."""
    design = cells.design()
    turned = scipy.sparse.csr_array(design.T)
    shape = (cells.width, cells.width)

    def solve(weights: Floats, gradient: Floats) -> Floats:
        own = 1 / (cells.masses(weights) + prior.diagonal())
        information = scipy.sparse.linalg.LinearOperator(
            shape, lambda x: turned @ (weights * (design @ x)) + prior @ x, dtype=np.float64
        )
        near = scipy.sparse.linalg.LinearOperator(shape, lambda x: own * x, dtype=np.float64)
        step, failed = scipy.sparse.linalg.cg(information, gradient, rtol=STEP_ERROR, M=near)
        if failed:
            raise ValueError(NO_RATING)
        return np.asarray(step)

    return solve


def _solve(information: Floats, gradient: Floats) -> Floats:
    try:
        factor, lower = scipy.linalg.cho_factor(information, lower=True)
    except scipy.linalg.LinAlgError:
        raise ValueError(NO_RATING) from None
    pivots = np.diag(factor)
    if pivots.min() < 1e-7 * pivots.max():
        raise ValueError(NO_RATING)
    return np.asarray(scipy.linalg.cho_solve((factor, lower), gradient))


def _by_deal(
    cells: Cells, compared: Comparisons, values: Floats, signs: Floats | None = None
) -> scipy.sparse.csr_array:
    """(deals, width): these (n,) values of lines, by deal, in the columns of their kinds."""
    columns = cells.columns[cells.kind]
    data = np.outer(values, np.ones(columns.shape[1]) if signs is None else signs)
    places = (np.repeat(compared.deal, columns.shape[1]), columns.ravel())
    shape = (len(compared.times), cells.width)
    return scipy.sparse.csr_array((data.ravel(), places), shape=shape)


def _share_of_fit(
    cells: Cells, compared: Comparisons, inside: scipy.sparse.csr_array, pull: Floats
) -> Floats:
    """(deals,): each deal's leverage, 0 to 1 per free direction of the deal."""
    deals = np.repeat(np.arange(inside.shape[0]), np.diff(inside.indptr))
    sat = np.bincount(deals[inside.indices < cells.names], minlength=inside.shape[0])
    share = np.bincount(compared.deal, weights=pull, minlength=len(sat)) / np.maximum(sat - 1, 1)
    return np.minimum(share, MAX_LEVERAGE)


def _trust(
    cells: Cells, compared: Comparisons, inside: scipy.sparse.csr_array, doubt: Floats
) -> Floats:
    """(width,): the weight of each column's own spread, 0 to 1; it grows with the column's open
    deals.

    A deal is open if its result was not almost certain. Other deals tell nothing: an entrant that
    has won everything has shown no spread yet.
    """
    opened = _by_deal(cells, compared, 4 * doubt[cells.kind] * compared.met)
    times = np.repeat(compared.times, np.diff(inside.indptr))
    share = times * opened.data / inside.data
    deals = np.bincount(inside.indices, weights=share, minlength=cells.width)
    return deals / (deals + FEW_DEALS)


def _residuals(
    cells: Cells,
    compared: Comparisons,
    chance: Floats,
    inside: scipy.sparse.csr_array,
    pull: Floats,
) -> scipy.sparse.csr_array:
    """(deals, width): the deals' residuals, each enlarged for its leverage; `pull` is by kind."""
    residual = compared.won - compared.met * chance[cells.kind]
    share = _share_of_fit(cells, compared, inside, pull[cells.kind] * compared.met)
    residual /= (1 - share)[compared.deal]
    return _by_deal(cells, compared, residual, signs=cells.signs)


def _field(
    cells: Cells, compared: Comparisons, doubt: Floats, seen: Floats, expected: Floats
) -> float:
    """The spread of the whole field, as a multiple of the expected one; both are (width,).

    Like an entrant's own spread, it weighs as much as the deals that were open.
    """
    opened = np.bincount(compared.deal, 4 * doubt[cells.kind] * compared.met)
    deals = float(compared.times @ (opened / np.bincount(compared.deal, compared.met)))
    most = float(expected.sum())
    ratio = float(seen.sum()) / most if most > 0 else 1.0
    return (deals * ratio + FEW_DEALS) / (deals + FEW_DEALS)
