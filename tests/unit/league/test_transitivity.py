from __future__ import annotations

import numpy as np
import pytest

from matchbox.league.comparisons import Comparisons, Floats, compare
from matchbox.league.ratings import ELO, fit_comparisons
from matchbox.league.standings import standing
from matchbox.league.transitivity import borda, chances_of, lack_of_fit, nash
from tests.unit.league.builders import bout, play_field, wins

CIRCLE = [
    row
    for winner, loser in ("AB", "BC", "CA")
    for row in wins(winner, loser, 30) + wins(loser, winner, 10)
]


def strengths_of(compared: Comparisons) -> Floats:
    return fit_comparisons(compared).strengths / ELO


@pytest.mark.parametrize(("table", "deals"), [(2, 30), (4, 4)])
def test_what_strengths_explain_seldom_fails_the_test(table: int, deals: int) -> None:
    found = []
    for seed in range(40):
        compared = compare(
            play_field([0, 30, 60, 90, 120, 150], table=table, deals=deals, luck=0.7, seed=seed)
        )
        lack = lack_of_fit(compared, strengths_of(compared))
        assert lack is not None
        found.append(lack.p)
    assert np.mean(np.array(found) < 0.05) <= 0.15
    assert 0.25 < np.mean(found) < 0.75


@pytest.mark.parametrize(("bots", "deals"), [(20, 60), (50, 200)])
def test_where_few_pairs_have_met_often_it_seldom_fails_either(bots: int, deals: int) -> None:
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        strengths = rng.normal(size=bots) * 200 / ELO
        rows = []
        for deal in range(deals):
            one, other = (int(who) for who in rng.choice(bots, 2, replace=False))
            for turn in range(2):
                won = rng.random() < 1 / (1 + np.exp(strengths[other] - strengths[one]))
                rows.append(
                    bout([f"{one:02d}", f"{other:02d}"], (1, 2) if won else (2, 1),
                         deal=f"{deal}", rotation=turn)
                )  # fmt: skip
        lack = lack_of_fit(compared := compare(rows), strengths_of(compared))
        assert lack is None or lack.freedom > 0
        found.append(lack is not None and lack.p < 0.05)
    assert np.mean(found) <= 0.15


def test_a_circle_fails_it_and_its_pairs_are_named() -> None:
    compared = compare(CIRCLE)
    lack = lack_of_fit(compared, strengths_of(compared))
    assert lack is not None
    assert lack.p < 1e-6
    assert {(one.first, one.second) for one in lack.worst} == {("A", "B"), ("B", "C"), ("A", "C")}
    first = next(one for one in lack.worst if (one.first, one.second) == ("A", "B"))
    assert (first.games, first.share) == (40, 0.75)
    assert first.expected == pytest.approx(0.5)
    assert first.z > 3


def test_too_few_pairs_tell_nothing() -> None:
    for rows in ([], wins("A", "B", 5), wins("A", "B", 1) + wins("B", "C", 1) + wins("C", "A", 1)):
        compared = compare(rows)
        assert lack_of_fit(compared, strengths_of(compared)) is None
    with pytest.raises(ValueError, match="without seats"):
        lack_of_fit(compare(CIRCLE, seat_term=True), np.zeros(3))


def test_bordas_intervals_hold_the_truth() -> None:
    field = np.array([0.0, 60.0, 120.0, 200.0])
    chances = 1 / (1 + np.exp(-np.subtract.outer(field, field) / ELO))
    truth = (chances.sum(axis=1) - 0.5) / 3
    inside = []
    for seed in range(60):
        compared = compare(play_field([*field], table=2, deals=15, luck=0.6, seed=seed))
        scores = borda(compared, strengths_of(compared))
        assert scores.means.mean() == pytest.approx(0.5)
        inside.append(np.abs(scores.means - truth) <= 1.96 * np.sqrt(np.diag(scores.covariance)))
    assert 0.89 <= np.mean(inside) <= 0.98


def test_a_pair_that_never_met_keeps_its_doubt() -> None:
    rows = [row for a, b in ("AB", "BA", "BC", "CB") for row in wins(a, b, 20)]
    widths = []
    for played in (rows, rows + wins("A", "C", 20) + wins("C", "A", 20)):
        compared = compare(played)
        widths.append(borda(compared, strengths_of(compared)).covariance[0, 0])
    assert widths[0] > 4 * widths[1]


def test_nash_averaging_is_even_in_a_circle_and_single_where_one_is_best() -> None:
    compared = compare(CIRCLE)
    mixture, odds = nash(chances_of(compared, strengths_of(compared)))
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


def test_where_strengths_do_not_fit_bordas_score_ranks() -> None:
    helped = CIRCLE + [bout("AD", (1, 2), match=f"d{n}", deal=f"d{n}") for n in range(20)]
    found = standing(helped)
    assert found.by == "borda"
    assert found.lack is not None
    lines = {line.bot: line for line in found.lines}
    assert lines["A"].rank == 1
    assert all(line.nash is not None and line.nash < 1e-6 for line in found.lines)
    scores = [line.score for line in found.lines]
    assert scores == sorted(scores, key=lambda one: -(one or 0))
    assert lines["A"].elo is not None
    plain = standing(play_field([0, 80, 160, 240], table=2, deals=20, luck=0.5, seed=1))
    assert plain.by == "elo"
    assert {line.nash for line in plain.lines} == {None}
