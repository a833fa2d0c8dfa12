"""Intervals: known values, limits, and values that they must contain."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.lab.statistics import bootstrap, grouped_interval, is_lopsided, mean_interval, wilson


@pytest.mark.parametrize(
    ("share", "n", "low", "high"),
    [(0.5, 100, 0.403832, 0.596168), (0.0, 10, 0.0, 0.277533), (1.0, 10, 0.722467, 1.0)],
)
def test_wilson_gives_the_published_values(share: float, n: int, low: float, high: float) -> None:
    assert wilson(share, n) == pytest.approx((low, high), abs=1e-6)


def test_wilson_knows_nothing_without_trials() -> None:
    assert wilson(0.5, 0) == (0.0, 1.0)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_lies_within_0_and_1_and_holds_the_share(counted: tuple[int, int]) -> None:
    wins, n = counted
    low, high = wilson(wins / n, n)
    assert 0.0 <= low <= wins / n + 1e-12
    assert wins / n - 1e-12 <= high <= 1.0


def test_the_interval_of_a_mean_comes_from_the_values_own_spread() -> None:
    alike, (low, high) = mean_interval([0.4, 0.6] * 200)
    apart, (least, most) = mean_interval([0.0, 1.0] * 200)
    assert alike == pytest.approx(apart) == 0.5
    assert high - low == pytest.approx((most - least) / 5, rel=0.15)
    assert (least, most) == pytest.approx(wilson(0.5, 400), abs=1e-4)


@pytest.mark.parametrize(("value", "n"), [(0.25, 1), (0.0, 20), (0.5, 20), (1.0, 20)])
def test_values_that_are_all_alike_are_not_certain(value: float, n: int) -> None:
    mean, (low, high) = mean_interval([value] * n)
    assert mean == value
    assert high - low > 1.0 / n / (1 + 4 / n)
    if value in (0.0, 1.0):
        assert (low, high) == wilson(value, n)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_the_interval_of_a_mean_holds_it_within_0_and_1(values: list[float]) -> None:
    mean, (low, high) = mean_interval(values)
    assert 0.0 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 1.0


def test_shares_that_depend_on_each_other_count_as_one() -> None:
    groups = [(3.0 * (n % 2), 3, 1) for n in range(400)]
    mean, interval = grouped_interval(groups)
    assert mean == 0.5
    assert interval == pytest.approx(mean_interval([n % 2 for n in range(400)])[1])


def test_groups_count_by_their_size() -> None:
    mean, (low, high) = grouped_interval([(2.0, 2, 1), (0.0, 1, 1)] * 200)
    assert mean == pytest.approx(2 / 3)
    alike = mean_interval([1.0, 0.0] * 200)[1]
    assert high - low == pytest.approx(8 / 9 * (alike[1] - alike[0]), rel=0.01)
    counted = grouped_interval([(2.0, 2, 200), (0.0, 1, 200)])
    assert (counted[0], *counted[1]) == pytest.approx((mean, low, high))
    assert grouped_interval([(1.0, 1, 10**12), (0.0, 1, 10**12)])[0] == 0.5  # at once


def test_no_value_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no value"):
        mean_interval([])


def test_the_bootstrap_agrees_with_the_spread_of_independent_values() -> None:
    values = [n % 10 / 10 for n in range(2000)]
    mean, (low, high) = bootstrap([(value, 1) for value in values], "seed")
    wanted, (least, most) = mean_interval(values)
    assert mean == pytest.approx(wanted)
    assert (low, high) == pytest.approx((least, most), abs=0.002)


def test_what_belongs_together_widens_the_band() -> None:
    alone = bootstrap([(float(n % 2), 1) for n in range(400)], "seed")[1]
    together = bootstrap([(10.0 * (n % 2), 10) for n in range(40)], "seed")[1]
    assert together[1] - together[0] > 2 * (alone[1] - alone[0])


def test_the_same_seed_gives_the_same_band() -> None:
    groups = [(float(n * n % 17), 1) for n in range(100)]
    assert bootstrap(groups, "a") == bootstrap(groups, "a")
    assert bootstrap(groups, "a") != bootstrap(groups, "b")


def test_a_band_around_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no value"):
        bootstrap([], "seed")


@pytest.mark.parametrize("deals", [2, 3, 5, 10])
def test_the_band_of_few_deals_holds_the_truth(deals: int) -> None:
    drawn = Random(20)
    held = 0
    for turn in range(400):
        groups = [(drawn.gauss(70, 8), 1) for _ in range(deals)]
        _, (low, high) = bootstrap(groups, str(turn))
        held += low <= 70 <= high
    assert held >= 0.88 * 400


def test_a_single_deal_has_a_mean_and_shows_no_spread() -> None:
    assert bootstrap([(82.0, 2)], "seed") == (41.0, (41.0, 41.0))


def test_half_a_width_tells_the_ends_only_of_an_interval_around_its_share() -> None:
    assert is_lopsided(1.0, wilson(1.0, 10))
    assert not is_lopsided(0.97, wilson(0.97, 1000))


@pytest.mark.parametrize("won", [0, 1, 3, 10, 990, 999, 1000])
def test_an_interval_near_0_or_100_percent_is_lopsided(won: int) -> None:
    assert is_lopsided(won / 1000, wilson(won / 1000, 1000))


@pytest.mark.parametrize("won", [30, 100, 500, 970])
def test_an_interval_far_from_0_and_100_percent_is_not(won: int) -> None:
    assert not is_lopsided(won / 1000, wilson(won / 1000, 1000))
