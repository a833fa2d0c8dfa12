from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from matchbox.league import posterior as module
from matchbox.league.posterior import posterior


def test_the_chance_of_being_champion_is_shared_among_equals_and_sums_to_one() -> None:
    known = posterior(np.zeros(4), np.eye(4))
    assert known.p_champion([0, 1, 2, 3]) == pytest.approx([0.25] * 4, abs=0.03)
    assert known.p_better(0, 1) == 0.5
    assert list(posterior(np.zeros(2), np.eye(2)).p_champion([0, 1])) == [0.5, 0.5]
    clear = posterior(np.array([0.0, 100.0]), np.eye(2))
    assert list(clear.p_champion([0, 1])) == [0.0, 1.0]
    assert clear.p_champion([]).shape == (0,)


def test_far_apart_hardly_anything_is_shrunk() -> None:
    means = np.array([0.0, 40.0, 42.0, 100.0])
    known = posterior(means, np.eye(4))
    assert known.p_better(2, 1) == pytest.approx(stats.norm.cdf(2 / np.sqrt(2)), abs=0.01)
    assert known.p_champion([1, 2])[1] == pytest.approx(known.p_better(2, 1), abs=0.03)


def test_the_top_of_ten_equals_is_right_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    said, plain = [], []
    for _ in range(300):
        means = rng.normal(size=10)
        top = int(np.argmax(means))
        said.append(posterior(means, np.eye(10)).p_champion([*range(10)])[top])
        drawn = means + rng.normal(size=(500, 10))
        plain.append((drawn.argmax(axis=1) == top).mean())
    assert np.mean(said) <= 0.13
    assert np.mean(plain) > 0.3, "without shrinkage it says far too much"


def test_where_the_truth_is_spread_a_probability_is_as_often_right() -> None:
    rng = np.random.default_rng(3)
    said, right = [], []
    for _ in range(300):
        truth = 2 * rng.normal(size=10)
        means = truth + rng.normal(size=10)
        top = int(np.argmax(means))
        said.append(posterior(means, np.eye(10)).p_champion([*range(10)])[top])
        right.append(top == np.argmax(truth))
    assert np.mean(right) - 0.12 < np.mean(said) < np.mean(right) + 0.04


def test_a_newcomer_teaches_nothing_and_changes_nothing_for_the_others() -> None:
    means, settled = np.array([0.0, 4.0, 8.0, 3.0]), np.array([True, True, True, False])
    alone = posterior(means[:3], np.eye(3))
    beside = posterior(means, np.diag([1.0, 1.0, 1.0, 400.0]), settled=settled)
    assert beside.p_better(2, 1) == pytest.approx(alone.p_better(2, 1))
    assert beside.p_better(2, 3) < 0.95


def test_few_deals_give_students_probabilities() -> None:
    means, covariance = np.array([0.0, 30.0, 60.0, 61.0]), np.eye(4)
    normal = posterior(means, covariance)
    students = posterior(means, covariance, freedom=np.full(4, 3.0))
    assert 0.5 < students.p_better(3, 2) < normal.p_better(3, 2)
    assert students.p_champion([2, 3])[1] == pytest.approx(students.p_better(3, 2), abs=0.03)


def test_a_common_shift_means_nothing_and_the_same_estimates_give_the_same_bits() -> None:
    means, covariance = np.array([0.0, 2.0, 5.0]), np.diag([1.0, 2.0, 3.0])
    once, shifted = posterior(means, covariance), posterior(means + 7, covariance + 40.0)
    assert shifted.p_better(2, 1) == pytest.approx(once.p_better(2, 1))
    again = posterior(means, covariance)
    assert (again.p_champion([0, 1, 2]) == once.p_champion([0, 1, 2])).all()


def test_values_without_error_are_certain_and_a_large_field_is_no_trouble() -> None:
    certain = posterior(np.array([1.0, 2.0]), np.zeros((2, 2)))
    assert (certain.p_better(1, 0), certain.p_better(0, 1)) == (1.0, 0.0)
    many = posterior(np.arange(300.0), np.eye(300))
    assert 0.7 < many.p_better(299, 298) < 0.8
    assert posterior(np.zeros(0), np.zeros((0, 0))).means.shape == (0,)


@pytest.mark.parametrize("teaching", [40, 25, 8])
def test_a_large_field_of_independent_errors_has_the_figures_of_a_small_one(
    teaching: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    means, variance = 100 * rng.normal(size=40), rng.uniform(10, 5000, size=40)
    settled = np.arange(40) < teaching
    exact = posterior(means, np.diag(variance), settled=settled)
    monkeypatch.setattr(module, "LARGE_FIELD", 10)
    shared = rng.normal(size=(40, 40))
    np.fill_diagonal(shared, variance)
    found = posterior(means, shared, settled=settled)
    assert found.means == pytest.approx(exact.means)
    assert found.covariance == pytest.approx(exact.covariance)
