from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.sprt import SHARES, Trial, llr, trial_state, verdict_text
from tests.unit.league.builders import published


@pytest.mark.parametrize("case", published("sprt"), ids=lambda case: str(case["pairs"]))
def test_it_gives_the_published_log_likelihood_ratios(case: dict[str, Any]) -> None:
    ratio = llr(case["pairs"], *case["bounds"], scale=case["scale"])
    assert round(ratio, case["digits"]) == case["llr"]


@given(st.lists(st.integers(0, 200), min_size=5, max_size=5), st.floats(1, 50))
def test_the_other_sides_view_is_the_mirror_image(pairs: list[int], upper: float) -> None:
    for scale in ("logistic", "normalized"):
        one = llr(pairs, -upper, upper, scale=scale)
        other = llr(pairs[::-1], -upper, upper, scale=scale)
        assert one == pytest.approx(-other, abs=1e-5 * (1 + sum(pairs)))


def test_a_trial_ends_better_not_better_or_at_its_cap() -> None:
    assert trial_state(Trial(), [0] * 5).verdict == "undecided"
    assert trial_state(Trial(), [10, 60, 130, 90, 30]).verdict == "better"
    assert trial_state(Trial(), [30, 90, 130, 60, 10]).verdict == "not-better"
    even = trial_state(Trial(max_bouts=400), [12, 38, 100, 36, 14])
    assert (even.bouts, even.verdict, even.over) == (400, "undecided", True)
    assert not trial_state(Trial(), [12, 38, 100, 36, 14]).over


def stops(elo: float, seed: int) -> str:
    """Returns the verdict on a challenger that is `elo` Elo better, with a look after every 25
    pairs."""
    expected = 1 / (1 + 10 ** (-elo / 400))
    law = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    law += (expected - law @ SHARES) * (SHARES - 0.5) / ((SHARES - 0.5) ** 2).sum()
    rng = np.random.default_rng(seed)
    counts = np.zeros(5, dtype=int)
    while not (stand := trial_state(Trial(), counts.tolist())).over:
        counts += rng.multinomial(25, law)
    return stand.verdict


def test_it_is_wrong_about_as_seldom_as_it_promises() -> None:
    at_lower = [stops(0.0, seed) for seed in range(100)]
    at_upper = [stops(20.0, seed) for seed in range(100)]
    assert at_lower.count("better") <= 12
    assert at_upper.count("not-better") <= 12


@pytest.mark.parametrize("pairs", [[1, 2, 3], [1, 2, 3, 4, -1]])
def test_it_refuses_counts_that_are_no_pairs(pairs: list[int]) -> None:
    with pytest.raises(ValueError, match="five counts"):
        llr(pairs, 0, 20)


def test_it_refuses_a_trial_that_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="below the upper"):
        Trial(lower=20, upper=0)
    with pytest.raises(ValueError, match="between 0 and"):
        Trial(alpha=0.0)


@pytest.mark.parametrize(
    ("verdict", "bounds", "text"),
    [
        ("better", None, "A is better than B"),
        ("better", (0, 20), "A is better than B"),
        ("better", (5, 10), "A is more than 5 Elo better than B"),
        ("better", (-20, 0), "A is less than 20 Elo worse than B"),
        ("not-better", None, "A is not better than B"),
        ("not-better", (0, 20), "A is not 20 Elo better than B"),
        ("not-better", (-20, 0), "A is not better than B"),
        ("not-better", (-20, -2.5), "A is more than 2.5 Elo worse than B"),
    ],
)
def test_a_verdict_is_told_with_the_bound_that_it_rules_out(
    verdict: Literal["better", "not-better"], bounds: tuple[float, float] | None, text: str
) -> None:
    assert verdict_text(verdict, "A", "B", bounds) == text
