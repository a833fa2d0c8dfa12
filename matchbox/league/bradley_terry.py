"""Bradley-Terry in natural units: the most probable strengths and their covariance.

Knows results as numbers; knows no names, no Elo and no rows. The model: R. A. Bradley and M. E.
Terry ("Rank analysis of incomplete block designs", 1952); the covariance is the sandwich estimator
of H. White (1982), clustered by deal as by K.-Y. Liang and S. L. Zeger (1986), with the residuals
of each cluster enlarged for its leverage as by R. M. Bell and D. F. McCaffrey (2002).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import scipy

from matchbox.league.pairwise import Design, Floats, PairwiseResults

MAX_STEPS: Final = 60
CLOSE: Final = 1e-9
SAFE_STEP: Final = 1.5
"""A step of Newton's that changes no log odds by more than this never needs to be halved: up to
1.79 it makes the result more probable (F. Bach, "Self-concordant analysis for logistic regression",
2010, proposition 1)."""
FEW_DEALS: Final = 8.0
"""The field's estimate of the dispersion weighs as much as this many deals."""
MAX_LEVERAGE: Final = 0.9
"""A deal's share of the fit is taken to be at most this, however few deals there are."""
LARGE_FIELD: Final = 1000
"""In a larger field errors use an entrant's own information only: within 2.4% of the exact ones.
With a prior, steps are then found by conjugate gradients, which need no matrix of all pairs."""
STEP_ERROR: Final = 1e-3
"""The error of such a step, as a share of the gradient; the next step corrects it."""


class NoRating(ValueError):
    """No finite rating explains the rows."""

    def __init__(self) -> None:
        super().__init__("no finite rating explains these rows; give a prior, or more rows")


def most_probable(design: Design, results: PairwiseResults, precision: Floats) -> Floats:
    """(column_count,): strengths, then seats, by Newton's method with halved steps.

    `precision` (column_count, column_count) belongs to the prior around 0. Raises NoRating if the
    result is infinite or not unique. In a large field the steps are truncated (R. S. Dembo and T.
    Steihaug, "Truncated-Newton algorithms for large-scale unconstrained optimization", 1983), which
    changes no strength by more than 1e-6.
    """
    prior: Floats | scipy.sparse.csr_array = precision
    solve = _exact(design, precision)
    if design.entrant_count > LARGE_FIELD and np.diag(precision).all():
        prior = scipy.sparse.csr_array(precision)
        solve = _truncated(design, prior)
    times = results.deals[results.outcome]
    played, taken = design.sum_by_kind(times * results.met), design.sum_by_kind(times * results.won)

    def objective(at: Floats) -> float:
        log_odds = design.log_odds(at)
        likelihood = taken @ log_odds - played @ np.logaddexp(0.0, log_odds)
        return float(likelihood - 0.5 * at @ (prior @ at))

    at = np.zeros(design.column_count)
    for _ in range(MAX_STEPS):
        win_probability = scipy.special.expit(design.log_odds(at))
        gradient = design.rmatvec(taken - played * win_probability) - prior @ at
        step = solve(played * win_probability * (1 - win_probability), gradient)
        if np.abs(design.log_odds(step)).max(initial=0.0) > SAFE_STEP:
            best = objective(at)
            while objective(at + step) < best - CLOSE * abs(best) and np.abs(step).max() > CLOSE:
                step = step / 2
        at = at + step
        # The error after a step of Newton's is of the order of its square.
        if np.abs(step).max(initial=0.0) < np.sqrt(CLOSE) / 10:
            return at
    raise NoRating


def curvature(design: Design, weights: Floats, precision: Floats) -> Floats:
    """(column_count, column_count): the information of the results, plus the prior's.

    `weights` (k,) are the Fisher information of the bouts of each kind: bouts * p (1 - p).
    Without a prior only differences are determined. Then the mean strength and the mean seat are
    held at 0, which changes no difference.
    """
    information = design.gram(weights) + precision
    if not np.diag(precision).all():
        information[: design.entrant_count, : design.entrant_count] += 1.0
        information[design.entrant_count :, design.entrant_count :] += 1.0
    return information


def covariance(design: Design, results: PairwiseResults, at: Floats, precision: Floats) -> Floats:
    """(column_count, column_count): the sandwich covariance of the estimate `at`, by deal.

    It is B M B. The bread B is the inverse of `curvature`. The meat M is a mean of two matrices,
    plus `precision`: the observed one, which sums r r' over the deals, where r are a deal's
    residuals enlarged for its leverage; and the expected one of the model, times the dispersion of
    the whole field. `_observed_weight` gives the weight of the observed one. Since the prior counts
    in both B and M, an entrant without results keeps the prior's variance. In a large field only
    the diagonals of B and M are used.
    """
    win_probability = scipy.special.expit(design.log_odds(at))
    bout_variance = win_probability * (1 - win_probability)
    weights = bout_variance * design.sum_by_kind(results.deals[results.outcome] * results.met)
    meetings = _by_outcome(design, results, results.met)
    observed_root = np.sqrt(_observed_weight(design, results, meetings, bout_variance))
    expected_root = np.sqrt(1 - observed_root**2)
    if design.entrant_count > LARGE_FIELD:
        expected, prior = design.gram_diagonal(weights), np.diag(precision)
        inverse: Floats = 1 / (expected + prior)
        leverage = bout_variance * design.diagonal_form(inverse)
        residuals = _residuals(design, results, win_probability, meetings, leverage)
        diagonal: Floats = residuals.power(2).T @ results.deals.astype(np.float64)
        dispersion = _field_dispersion(results, bout_variance[design.kind], diagonal, expected)
        diagonal = observed_root**2 * diagonal + expected_root**2 * dispersion * expected + prior
        return np.diag(inverse**2 * diagonal)
    expected, information = design.gram(weights), curvature(design, weights, precision)
    bread = scipy.linalg.inv(information)
    leverage = bout_variance * design.quadratic_form(bread)
    residuals = _residuals(design, results, win_probability, meetings, leverage)
    meat: Floats = (
        residuals.T @ (scipy.sparse.diags_array(results.deals.astype(np.float64)) @ residuals)
    ).toarray()
    dispersion = _field_dispersion(
        results, bout_variance[design.kind], np.diag(meat), np.diag(expected)
    )
    meat = np.outer(observed_root, observed_root) * meat
    meat += np.outer(expected_root, expected_root) * dispersion * expected + precision
    return np.asarray(bread @ meat @ bread)


def _exact(design: Design, precision: Floats) -> Callable[[Floats, Floats], Floats]:
    """Returns a function that solves Newton's equations by a Cholesky factor.

    It takes the weights of `curvature` (k,) and a gradient (column_count,).
    """
    return lambda weights, gradient: _solve(curvature(design, weights, precision), gradient)


def _truncated(design: Design, prior: scipy.sparse.csr_array) -> Callable[[Floats, Floats], Floats]:
    """Like `_exact`, by conjugate gradients, preconditioned by the diagonal; it needs a prior."""
    matrix = design.matrix()
    design_t = scipy.sparse.csr_array(matrix.T)
    shape = (design.column_count, design.column_count)

    def solve(weights: Floats, gradient: Floats) -> Floats:
        inverse = 1 / (design.gram_diagonal(weights) + prior.diagonal())
        information = scipy.sparse.linalg.LinearOperator(
            shape, lambda x: design_t @ (weights * (matrix @ x)) + prior @ x, dtype=np.float64
        )
        preconditioner = scipy.sparse.linalg.LinearOperator(
            shape, lambda x: inverse * x, dtype=np.float64
        )
        step, failed = scipy.sparse.linalg.cg(
            information, gradient, rtol=STEP_ERROR, M=preconditioner
        )
        if failed:
            raise NoRating
        return np.asarray(step)

    return solve


def _solve(information: Floats, gradient: Floats) -> Floats:
    try:
        factor, lower = scipy.linalg.cho_factor(information, lower=True)
    except scipy.linalg.LinAlgError:
        raise NoRating from None
    pivots = np.diag(factor)
    if pivots.min() < 1e-7 * pivots.max():
        raise NoRating
    return np.asarray(scipy.linalg.cho_solve((factor, lower), gradient))


def _by_outcome(
    design: Design, results: PairwiseResults, values: Floats, signs: Floats | None = None
) -> scipy.sparse.csr_array:
    """(outcomes, column_count): these values (n,) of entries, each in the columns of its kind."""
    columns = design.columns[design.kind]
    data = np.outer(values, np.ones(columns.shape[1]) if signs is None else signs)
    indices = (np.repeat(results.outcome, columns.shape[1]), columns.ravel())
    shape = (len(results.deals), design.column_count)
    return scipy.sparse.csr_array((data.ravel(), indices), shape=shape)


def _leverage_by_outcome(
    design: Design, results: PairwiseResults, meetings: scipy.sparse.csr_array, leverage: Floats
) -> Floats:
    """(outcomes,): the leverage of a deal, per free direction of it; `leverage` (n,) by entry.

    `meetings` is `_by_outcome` of `results.met`. A deal with s entrants has s - 1 free directions.
    """
    outcome = np.repeat(np.arange(meetings.shape[0]), np.diff(meetings.indptr))
    entrants = np.bincount(
        outcome[meetings.indices < design.entrant_count], minlength=meetings.shape[0]
    )
    total = np.bincount(results.outcome, weights=leverage, minlength=len(entrants))
    return np.minimum(total / np.maximum(entrants - 1, 1), MAX_LEVERAGE)


def _observed_weight(
    design: Design,
    results: PairwiseResults,
    meetings: scipy.sparse.csr_array,
    bout_variance: Floats,
) -> Floats:
    """(column_count,): the weight of each column's observed residuals, 0 to 1.

    It is d / (d + FEW_DEALS), where d counts the column's deals, each by how open it was: 4 p (1 -
    p). A deal that was almost certain tells nothing: an entrant that has won everything has shown
    no dispersion yet.
    """
    openness = _by_outcome(design, results, 4 * bout_variance[design.kind] * results.met)
    deals = np.repeat(results.deals, np.diff(meetings.indptr))
    share = deals * openness.data / meetings.data
    total = np.bincount(meetings.indices, weights=share, minlength=design.column_count)
    return total / (total + FEW_DEALS)


def _residuals(
    design: Design,
    results: PairwiseResults,
    win_probability: Floats,
    meetings: scipy.sparse.csr_array,
    leverage: Floats,
) -> scipy.sparse.csr_array:
    """(outcomes, column_count): the residuals, enlarged for their leverage, which is by kind."""
    residual = results.won - results.met * win_probability[design.kind]
    deal_leverage = _leverage_by_outcome(
        design, results, meetings, leverage[design.kind] * results.met
    )
    residual /= (1 - deal_leverage)[results.outcome]
    return _by_outcome(design, results, residual, signs=design.signs)


def _field_dispersion(
    results: PairwiseResults, bout_variance: Floats, observed: Floats, expected: Floats
) -> float:
    """The dispersion of the whole field: observed by expected variance, both (column_count,).

    It is shrunk toward 1, which weighs as much as FEW_DEALS open deals (`_observed_weight`);
    `bout_variance` (n,) is by entry.
    """
    openness = np.bincount(results.outcome, 4 * bout_variance * results.met)
    deals = float(results.deals @ (openness / np.bincount(results.outcome, results.met)))
    total = float(expected.sum())
    ratio = float(observed.sum()) / total if total > 0 else 1.0
    return (deals * ratio + FEW_DEALS) / (deals + FEW_DEALS)
