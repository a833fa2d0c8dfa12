from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, studentized_range, t

from matchbox.league.ranges import (
    DRAWN_FIELD,
    critical,
    rank_ranges,
    standard_errors,
    superiority,
)
from tests.unit.league.builders import published


@pytest.mark.parametrize("case", published("superiority"), ids=lambda case: str(case["percent"]))
def test_it_gives_the_published_likelihoods_of_superiority(case: dict[str, Any]) -> None:
    assert round(100 * superiority(case["difference"], case["error"])) == case["percent"]


def test_superiority_without_error_is_certain() -> None:
    assert [superiority(gap, 0.0) for gap in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]


def test_the_quantile_of_two_is_the_plain_one_and_of_more_is_tukeys() -> None:
    assert critical(np.eye(2)) == pytest.approx(norm.isf(0.025), abs=0.06)
    tukey = studentized_range.ppf(0.95, 8, np.inf) / np.sqrt(2)
    assert critical(np.eye(8)) == pytest.approx(tukey, abs=0.06)
    assert critical(np.eye(1)) == 0.0


def test_a_large_field_gets_a_bound_that_is_wider_and_not_by_much() -> None:
    drawn = critical(np.eye(DRAWN_FIELD))
    assert drawn < critical(np.eye(DRAWN_FIELD + 1)) < 1.1 * drawn


def test_a_common_shift_of_all_means_nothing() -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(5, 5))
    covariance = root @ root.T
    shifted = covariance + 40.0
    pairs = np.triu_indices(len(covariance))
    assert standard_errors(shifted, *pairs) == pytest.approx(standard_errors(covariance, *pairs))
    assert critical(shifted) == pytest.approx(critical(covariance), rel=0.03)


def test_ranges_are_narrow_where_all_is_clear_and_wide_where_nothing_is() -> None:
    means = np.array([30.0, 10.0, 20.0, 0.0])
    assert rank_ranges(means, 0.1 * np.eye(4)) == [(1, 1), (3, 3), (2, 2), (4, 4)]
    assert rank_ranges(means, 1e4 * np.eye(4)) == [(1, 4)] * 4
    assert rank_ranges(means, 16 * np.eye(4)) == [(1, 2), (2, 4), (1, 3), (3, 4)]


def test_who_is_unknown_may_hold_any_rank_and_narrows_nobodys() -> None:
    means = np.array([30.0, 10.0, 20.0])
    unknown = np.array([False, False, True])
    assert rank_ranges(means, 0.1 * np.eye(3), unknown=unknown) == [(1, 2), (2, 3), (1, 3)]


def test_the_fewer_deals_of_two_decide_whether_they_differ() -> None:
    means, deals = np.array([0.0, 5.0, 10.0]), np.array([40, 40, 2])
    assert rank_ranges(means, 0.1 * np.eye(3), deals=deals) == [(2, 3), (1, 2), (1, 3)]


def test_of_two_on_few_deals_students_quantile_is_the_plain_one() -> None:
    edge = -t.ppf(0.025, 4) * np.sqrt(2)
    deals = np.array([5, 5])
    for far, expected in ((0.999, [(1, 2), (1, 2)]), (1.001, [(1, 1), (2, 2)])):
        assert rank_ranges(np.array([far * edge, 0.0]), np.eye(2), deals=deals) == expected


def test_equals_keep_rank_one_in_reach_as_often_as_they_say() -> None:
    rng = np.random.default_rng(3)
    held = [
        all(span == (1, 6) for span in rank_ranges(rng.normal(size=6), np.eye(6)))
        for _ in range(200)
    ]
    assert 0.90 <= np.mean(held) <= 0.99


def test_the_same_estimates_give_the_same_answers_to_the_last_bit() -> None:
    covariance = np.diag([1.0, 2.0, 3.0])
    assert critical(covariance) == critical(covariance)
