from __future__ import annotations

from collections import Counter
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import SeededDice
from matchbox.league.counts import count
from matchbox.league.rows import Row
from matchbox.league.tail import (
    MAX_DOUBT,
    Question,
    apportion,
    doubts,
    doubts_in,
    is_answered,
    next_batch,
)

NAMES = [f"b{number}" for number in range(6)]
MEANS = np.array([0.0, 100.0, 104.0, 250.0, 400.0, 401.0])


def matches_in(batch: list[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    """Returns how often each pair meets."""
    return Counter(tuple(sorted(seats)) for seats in batch)


def batch_of(question: Question, error: float, **rules: object) -> Counter[tuple[str, ...]]:
    """A batch for the field above, each with this error."""
    found = doubts(MEANS, error**2 * np.eye(6), question)
    dice = SeededDice(b"tail", 1)
    return matches_in([one.seats for one in next_batch(NAMES, found, dice, size=200, **rules)])  # type: ignore[arg-type]


def test_the_whole_order_asks_for_neighbours_and_a_top_for_all_across_its_edge() -> None:
    def asked(question: Question) -> set[tuple[int, int]]:
        found = doubts(MEANS, 400 * np.eye(6), question)
        return set(zip(found.better.tolist(), found.worse.tolist(), strict=True))

    assert asked(Question("order")) == {(5, 4), (4, 3), (3, 2), (2, 1), (1, 0)}
    assert asked(Question("top", 2)) == {(a, b) for a in (5, 4) for b in (3, 2, 1, 0)}
    assert asked(Question("champion")) == {(5, b) for b in range(5)}


@pytest.mark.parametrize("question", [Question("order"), Question("top", 3), Question("champion")])
def test_the_doubts_bound_how_often_the_answer_is_wrong(question: Question) -> None:
    rng = np.random.default_rng(4)
    error, truth = 30.0, np.array([0.0, 60.0, 150.0, 210.0])
    wrong, promised = [], []
    for _ in range(400):
        seen = truth + error * rng.normal(size=4)
        found = doubts(seen, error**2 * np.eye(4), question)
        wrong.append(bool((truth[found.better] < truth[found.worse]).any()))
        promised.append(found.total)
    assert np.mean(wrong) <= np.mean(promised) + 0.05


def test_most_of_a_batch_goes_to_the_greatest_doubt_and_none_to_what_is_settled() -> None:
    batch = batch_of(Question("order"), 15.0)
    assert batch.total() == 200
    assert batch["b1", "b2"] > 70
    assert batch["b4", "b5"] > 70
    settled = [pair for pair in combinations(NAMES, 2) if pair not in {("b1", "b2"), ("b4", "b5")}]
    assert max(batch[pair] for pair in settled) <= 2  # of the tenth that is drawn from all
    assert min(batch[pair] for pair in settled) >= 1


def test_two_of_one_owner_never_meet_and_their_doubt_is_cleared_by_others() -> None:
    forbidden = {"b4", "b5"}
    batch = batch_of(Question("champion"), 15.0, may_meet=lambda a, b: {a, b} != forbidden)
    assert batch["b4", "b5"] == 0
    assert batch["b3", "b5"] > 60
    assert batch["b3", "b4"] > 60
    assert batch_of(Question(), 15.0, may_meet=lambda *_: False).total() == 0


def test_who_is_surely_near_another_is_not_told_apart() -> None:
    means = np.array([0.0, 1.0])
    near, unknown = (doubts(means, e**2 * np.eye(2), Question()) for e in (2.0, 50.0))
    assert near.total == 0
    assert is_answered(near, Question())
    assert unknown.total > 0.4
    assert not is_answered(unknown, Question())


def test_an_order_is_wrong_if_the_lower_is_better_by_more_than_half_of_the_zone() -> None:
    means, spread = np.array([10.0, 0.0]), 50.0 * np.eye(2)
    exact, zone = (doubts(means, spread, Question(), near=near).total for near in (0.0, 10.0))
    assert exact == pytest.approx(1 - NormalDist(0, 10).cdf(10))
    assert zone == pytest.approx(1 - NormalDist(0, 10).cdf(15))


def test_a_thrifty_season_stops_sooner() -> None:
    found = doubts(np.array([0.0, 25.0]), 15.0**2 * np.eye(2), Question())
    assert MAX_DOUBT["strict"] < found.total < MAX_DOUBT["thrifty"]
    assert is_answered(found, Question(care="thrifty"))
    assert not is_answered(found, Question())


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="strict care"):
        Question("champion", care="thrifty")
    with pytest.raises(ValueError, match="one place or more"):
        Question("top", 0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 300))
def test_shares_are_whole_and_sum_up_in_proportion(weights: list[float], total: int) -> None:
    shares = apportion(weights, total)
    whole = sum(weights)
    assert sum(shares) == (total if whole else 0)
    if whole:
        for share, weight in zip(shares, weights, strict=True):
            assert abs(share - weight * total / whole) < 1 + 1e-6


@given(st.integers(2, 9), st.floats(5, 200), st.integers(0, 500))
def test_a_batch_has_its_size_and_nobody_meets_itself(n: int, error: float, step: int) -> None:
    found = doubts(np.linspace(0.0, 20.0 * n, n), error**2 * np.eye(n), Question())
    names = [f"b{number}" for number in range(n)]
    batch = next_batch(names, found, SeededDice(b"tail", step))
    assert len(batch) == -(-n * (n - 1) // 4)
    assert all(len(set(pairing.seats)) == 2 for pairing in batch)


def test_teams_that_play_alike_keep_no_cooperative_season_open() -> None:
    rows = [
        Row(f"{name}{deal}", f"{deal}", 0, (name, name), (1, 1), scores=(50 + deal % 5,) * 2)
        for name in ("one", "copy")
        for deal in range(40)
    ]
    found = doubts_in(count(rows, cooperative=True), ["copy", "one"], Question(), cooperative=True)
    assert found is not None
    assert is_answered(found, Question())


def test_a_team_that_left_early_keeps_no_cooperative_season_open() -> None:
    played = {"good": (30, 90), "bad": (30, 20), "gone": (5, 50)}
    rows = [
        Row(name, f"{name}{deal}", 0, (name, name), (1, 1), scores=(score + deal % 5,) * 2)
        for name, (deals, score) in played.items()
        for deal in range(deals)
    ]
    counts = count(rows, cooperative=True)
    found = doubts_in(counts, ["bad", "good"], Question(), cooperative=True)
    assert found is not None
    assert is_answered(found, Question())
    assert doubts_in(counts, ["bad", "gone", "good"], Question(), cooperative=True) is None
