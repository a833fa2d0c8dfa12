"""The coverage of intervals, measured on fields with known true strengths."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from matchbox.league.ratings import ELO, PRIOR_ELO, WIDE
from tests.unit.league.builders import bout, fit, play_field, wins


def covered(strengths: list[float], *, table: int, deals: int, luck: float, trials: int) -> float:
    """The share of 95% intervals that hold the truth."""
    truth = np.array(strengths) - np.mean(strengths)
    inside = []
    for seed in range(trials):
        fitted = fit(play_field(strengths, table=table, deals=deals, luck=luck, seed=seed))
        halves = WIDE * np.sqrt(np.diag(fitted.covariance))
        inside.append(np.abs(fitted.strengths - truth) <= halves)
    return float(np.mean(inside))


@pytest.mark.parametrize(
    "field,table,deals,luck,trials",
    [
        ([-60.0, -20.0, 20.0, 60.0], 2, 12, 0.7, 150),
        ([-90.0, -50.0, -10.0, 10.0, 60.0, 80.0], 4, 2, 0.5, 100),
        ([-90.0, -50.0, -10.0, 10.0, 30.0, 40.0, 70.0], 6, 4, 0.5, 60),
    ],
)
def test_intervals_cover_the_truth_as_often_as_they_say(
    field: list[float], table: int, deals: int, luck: float, trials: int
) -> None:
    share = covered(field, table=table, deals=deals, luck=luck, trials=trials)
    assert 0.915 <= share <= 0.985


def test_deal_pairs_narrow_the_interval_as_far_as_their_results_offset_each_other() -> None:
    widths = [
        fit(play_field([0, 0], table=2, deals=400, luck=luck, seed=4)).half_width("b00")
        for luck in (0.0, 0.8)
    ]
    # Two bouts of a deal correlate by -0.64 here: 1 - 0.64 of the variance is left.
    assert widths[1] / widths[0] == pytest.approx(sqrt(1 - 0.64), rel=0.15)


def test_repeating_a_deals_result_makes_an_interval_no_narrower() -> None:
    results = [(1, 2) if n % 3 else (2, 1) for n in range(60)]
    once = [bout("AB", places, deal=f"{n}") for n, places in enumerate(results)]
    copied = [
        bout("AB", places, match=f"m{copy}", deal=f"{n}")
        for n, places in enumerate(results)
        for copy in range(10)
    ]
    assert fit(copied).half_width("A") == pytest.approx(fit(once).half_width("A"), rel=0.1)


def test_a_few_deals_that_all_came_out_even_are_no_certainty() -> None:
    rows = [
        bout("AB", places, deal=f"{deal}", rotation=rotation)
        for deal in range(3)
        for rotation, places in enumerate([(1, 2), (2, 1)])
    ]
    independent = WIDE * ELO / sqrt(6 * 0.25 * 4)
    assert fit(rows).half_width("A") > independent / 2


def test_the_fewer_losses_the_wider_the_interval() -> None:
    widths = [
        fit([*wins("A", "B", 400 - lost), *wins("B", "A", lost)]).half_width("A")
        for lost in range(5)
    ]
    assert widths == sorted(widths, reverse=True)


def test_who_has_hardly_played_keeps_nearly_the_width_of_the_prior() -> None:
    field = play_field([0.0] * 6, table=2, deals=20, luck=0.3, seed=1)
    fitted = fit([*field, *wins("new", "b00", 1)])
    assert 0.6 * WIDE * PRIOR_ELO < fitted.half_width("new") < WIDE * PRIOR_ELO
    assert fitted.half_width("b00") < 0.3 * WIDE * PRIOR_ELO
