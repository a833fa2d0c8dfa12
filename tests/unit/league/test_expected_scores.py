from __future__ import annotations

import numpy as np
import pytest

from bench.league import field
from matchbox.league.expected_scores import Scores, expected_scores, nash
from matchbox.league.pairwise import Floats, PairwiseResults, compare
from matchbox.league.ranges import rank_ranges
from matchbox.league.ratings import ELO, fit_strengths
from tests.unit.league.builders import play_field, wins

TRIANGLE = np.array([[0.5, 0.40, 0.58], [0.60, 0.5, 0.35], [0.42, 0.65, 0.5]])
"""The first takes 49% against the two others."""


def scores_of(pairwise: PairwiseResults, present: list[int] | None = None) -> Scores:
    return expected_scores(pairwise, fit_strengths(pairwise).strengths / ELO, present)


def played(
    table: Floats, deals: int, rng: np.random.Generator, unmet: float = 0.0
) -> PairwiseResults:
    """Returns `deals` deals of each pair that meets."""
    pairs = field.pairs_of(table, 0.5)
    while True:
        met = rng.random(len(pairs.first)) >= unmet
        if len({*pairs.first[met].tolist(), *pairs.second[met].tolist()}) == len(table):
            return pairs.pairwise(pairs.play(np.where(met, deals, 0), rng))


def test_intervals_hold_the_truth() -> None:
    strengths = np.array([0.0, 60.0, 120.0, 200.0])
    chances = 1 / (1 + np.exp(-np.subtract.outer(strengths, strengths) / ELO))
    truth = (chances.sum(axis=1) - 0.5) / 3
    inside = []
    for seed in range(60):
        scores = scores_of(
            compare(play_field([*strengths], table=2, deals=15, luck=0.6, seed=seed))
        )
        inside.append(np.abs(scores.means - truth) <= 1.96 * np.sqrt(np.diag(scores.covariance)))
    assert 0.89 <= np.mean(inside) <= 0.98


@pytest.mark.parametrize("chance", [0.6, 0.75, 0.95])
def test_intervals_hold_in_a_circle_of_which_three_pairs_in_ten_never_met(chance: float) -> None:
    rng = np.random.default_rng(5)
    inside, ranges = [], []
    for _ in range(60):
        scores = scores_of(played(field.circle(9, chance), 100, rng, unmet=0.3))
        inside.append(np.abs(scores.means - 0.5) <= 1.96 * np.sqrt(np.diag(scores.covariance)))
        ranges.append(all(one == (1, 9) for one in rank_ranges(scores.means, scores.covariance)))
    assert np.mean(inside) >= 0.92
    assert np.mean(ranges) >= 0.9


def test_where_strengths_predict_all_pairs_one_that_never_met_adds_little_doubt() -> None:
    rng = np.random.default_rng(6)
    strengths = np.array([0.0, 100.0, 200.0, 300.0, 400.0])
    ladder = 1 / (1 + np.exp(-np.subtract.outer(strengths, strengths) / ELO))
    tables = {"ladder": ladder, "circle": field.circle(5, 0.75)}
    doubts = {
        name: np.sqrt(scores_of(played(table, 400, rng, unmet=0.2)).covariance.diagonal().max())
        for name, table in tables.items()
    }
    assert doubts["ladder"] < 0.03 < doubts["circle"]


def test_a_pair_that_never_met_is_counted() -> None:
    rows = [row for a, b in ("AB", "BA", "BC", "CB") for row in wins(a, b, 20)]
    scores = scores_of(compare(rows))
    assert (scores.opponents.tolist(), scores.estimated.tolist()) == ([2, 2, 2], [1, 0, 1])
    apart = scores_of(compare(rows), [0, 1])
    assert (apart.opponents.tolist(), apart.estimated.tolist()) == ([1, 1, 2], [0, 0, 1])


def test_nothing_leaves_zero_to_one() -> None:
    rows = wins("A", "B", 400) + wins("B", "C", 400) + wins("C", "D", 400)
    scores = scores_of(compare(rows))
    assert ((scores.means >= 0) & (scores.means <= 1)).all()
    assert ((scores.chances >= 0) & (scores.chances <= 1)).all()


def test_copies_of_a_bot_move_nobodys_score() -> None:
    moved = []
    for copies in (0, 2):
        rng = np.random.default_rng(7)
        table = field.with_clones(TRIANGLE, 2, copies)
        moved.append(np.mean([scores_of(played(table, 400, rng)).means[:3] for _ in range(20)], 0))
    plain = field.with_clones(TRIANGLE, 2, 2)[0]
    assert (plain.sum() - 0.5) / 4 == pytest.approx(0.535)
    assert moved[0] == pytest.approx(np.array([0.49, 0.475, 0.535]), abs=0.01)
    assert moved[1] == pytest.approx(moved[0], abs=0.012)


def test_different_bots_all_count_fully() -> None:
    rng = np.random.default_rng(8)
    strengths = np.array([0.0, 100.0, 200.0, 300.0])
    table = 1 / (1 + np.exp(-np.subtract.outer(strengths, strengths) / ELO))
    scores = scores_of(played(table, 2000, rng))
    assert scores.means == pytest.approx((table.sum(axis=1) - 0.5) / 3, abs=0.01)


def test_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="without seats"):
        expected_scores(compare(wins("A", "B", 3), seat_term=True), np.zeros(2))


def test_nash_averaging_is_even_in_a_circle_and_single_where_one_is_best() -> None:
    mixture, odds = nash(field.circle(3, 0.75))
    assert mixture == pytest.approx([1 / 3] * 3, abs=1e-4)
    assert odds == pytest.approx([0.0] * 3, abs=1e-4)
    ladder = 1 / (1 + np.exp(-np.subtract.outer([2.0, 1.0, 0.0], [2.0, 1.0, 0.0])))
    mixture, odds = nash(ladder)
    assert mixture == pytest.approx([1, 0, 0], abs=1e-4)
    assert odds == pytest.approx([0, -1, -2], abs=1e-3)
    # A copy of a bot takes its part of the mixture, and changes nobody's rating.
    copied = np.array([[0.5, 0.8, 0.2, 0.8], [0.2, 0.5, 0.8, 0.5], [0.8, 0.2, 0.5, 0.2]])
    copied = np.vstack([copied, copied[1]])
    mixture, _ = nash(copied)
    assert mixture == pytest.approx([1 / 3, 1 / 6, 1 / 3, 1 / 6], abs=1e-3)
