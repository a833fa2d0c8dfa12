from __future__ import annotations

from itertools import combinations
from math import isfinite

import numpy as np
import pytest

from matchbox.league.line import By
from matchbox.league.pairwise import Floats, PairwiseResults, compare
from matchbox.league.ratings import ELO, fit_strengths
from matchbox.league.rows import Row
from matchbox.league.standings import standing
from matchbox.league.transitivity import Verdict, lack_of_fit, margin, verdict
from tests.unit.league.builders import bout, play_field, wins

CIRCLE = [
    row
    for winner, loser in ("AB", "BC", "CA")
    for row in wins(winner, loser, 30) + wins(loser, winner, 10)
]


def meet(one: str, other: str, won: int, lost: int) -> list[Row]:
    """Bouts of two bots, each on a deal of its own."""
    return wins(one, other, won) + wins(other, one, lost)


TRUE_CIRCLE = [row for one, other in ("AB", "BC", "CA") for row in meet(one, other, 120, 40)]


def strengths_of(compared: PairwiseResults) -> Floats:
    return fit_strengths(compared).strengths / ELO


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
    assert (first.bouts, first.share) == (40, 0.75)
    assert first.expected == pytest.approx(0.5)
    assert first.z > 3


def test_too_few_pairs_tell_nothing() -> None:
    for rows in ([], wins("A", "B", 5), wins("A", "B", 1) + wins("B", "C", 1) + wins("C", "A", 1)):
        compared = compare(rows)
        assert lack_of_fit(compared, strengths_of(compared)) is None
    with pytest.raises(ValueError, match="without seats"):
        lack_of_fit(compare(CIRCLE, seat_term=True), np.zeros(3))


def verdict_of(rows: list[Row], before: By | None = None) -> Verdict:
    fitted = fit_strengths(compared := compare(rows))
    return verdict(compared, fitted.strengths / ELO, fitted.covariance / ELO**2, before)


def test_a_circle_is_told_as_weaker_bots_that_beat_stronger_ones() -> None:
    found = verdict_of(TRUE_CIRCLE)
    assert (found.by, found.held) == ("borda", False)
    assert {(one.winner, one.loser) for one in found.upsets} <= {("A", "B"), ("B", "C"), ("C", "A")}
    assert {(one.bouts, one.share) for one in found.upsets} == {(160, 0.75)}


def test_a_weaker_bot_that_beats_a_stronger_one_is_told_without_a_circle() -> None:
    rows = meet("B", "A", 150, 50)
    for other in "CDEFG":
        rows += meet("A", other, 180, 20) + meet("B", other, 100, 100)
    (upset,) = verdict_of(rows).upsets
    assert (upset.winner, upset.loser, upset.bouts, upset.share) == ("B", "A", 200, 0.75)


def test_a_misfit_is_no_upset_and_a_small_one_changes_nothing() -> None:
    # A beats B, B beats C, and A beats C less often than strengths would expect.
    large = meet("A", "B", 1600, 400) + meet("B", "C", 1600, 400) + meet("A", "C", 1500, 500)
    found = verdict_of(large)
    assert (found.by, found.upsets) == ("borda", ())
    small = meet("A", "B", 1500, 500) + meet("B", "C", 1500, 500) + meet("A", "C", 1700, 300)
    lack = lack_of_fit(compared := compare(small), strengths_of(compared))
    assert lack is not None
    assert lack.p < 0.001
    assert verdict_of(small).by == "elo"


def test_few_deals_change_nothing_however_clear_they_are() -> None:
    few = [row for one, other in ("AB", "BC", "CA") for row in wins(one, other, 19)]
    assert verdict_of(few).by == "elo"
    many = [row for one, other in ("AB", "BC", "CA") for row in wins(one, other, 60)]
    assert verdict_of(many).by == "borda"


def test_near_the_limit_what_ranked_before_ranks_on() -> None:
    rows = [row for one, other in ("AB", "BC", "CA") for row in meet(one, other, 50, 25)]
    assert verdict_of(rows).by == verdict_of(rows, "elo").by == "elo"
    kept = verdict_of(rows, "borda")
    assert (kept.by, kept.held) == ("borda", True)
    level = [row for one, other in ("AB", "BC", "CA") for row in meet(one, other, 21, 19)]
    assert verdict_of(level, "borda").by == "elo"


def test_the_margin_holds_at_all_looks_at_once() -> None:
    rng = np.random.default_rng(3)
    deals = np.arange(1, 3001.0)
    means = rng.normal(size=(400, 3000)).cumsum(axis=1) / deals
    outside = (np.abs(means) > margin(deals, 0.05) / np.sqrt(deals)).any(axis=1)
    assert outside.mean() <= 0.07
    one_look = (np.abs(means) > 1.96 / np.sqrt(deals)).any(axis=1)
    assert one_look.mean() > 0.5


def test_where_strengths_mislead_the_mean_expected_score_ranks() -> None:
    helped = TRUE_CIRCLE + wins("A", "D", 20)
    found = standing(helped)
    assert found.by == "borda"
    assert found.lack is not None
    lines = {line.bot: line for line in found.lines}
    assert lines["A"].rank == 1
    assert all(line.nash is not None and line.nash < 1e-4 for line in found.lines)
    scores = [line.score for line in found.lines]
    assert scores == sorted(scores, key=lambda one: -(one or 0))
    assert lines["A"].elo is not None
    assert [(line.opponents, line.estimated) for line in (lines["A"], lines["B"], lines["D"])] == [
        (3, 0), (3, 1), (3, 2)
    ]  # fmt: skip
    assert found.upsets
    for upset in found.upsets:
        assert lines[upset.winner].rank > lines[upset.loser].rank
    plain = standing(play_field([0, 80, 160, 240], table=2, deals=20, luck=0.5, seed=1))
    assert plain.by == "elo"
    assert {(line.nash, line.estimated) for line in plain.lines} == {(None, None)}


def test_the_digest_holds_the_figure_before_only_where_that_decided() -> None:
    near = [row for one, other in ("AB", "BC", "CA") for row in meet(one, other, 50, 25)]
    assert standing(near, before="borda").by == "borda"
    assert standing(near, before="borda").digest != standing(near).digest
    assert standing(near, before="elo").digest == standing(near).digest
    clear = standing(TRUE_CIRCLE)
    assert standing(TRUE_CIRCLE, before="borda").digest == clear.digest


def test_an_unlisted_bot_is_no_opponent() -> None:
    found = standing(TRUE_CIRCLE + wins("A", "D", 20), listed={"A", "B", "C"})
    assert found.by == "borda"
    assert [line.opponents for line in found.lines] == [2, 2, 2]
    assert [line.score for line in found.lines] == pytest.approx([0.5] * 3, abs=0.01)


def test_a_field_in_which_the_better_always_wins_has_a_standing() -> None:
    names = "ABCDEFGHIJKLMNO"
    rows = [row for one, other in combinations(names, 2) for row in wins(one, other, 400)]
    found = standing(rows)
    assert [line.bot for line in found.lines] == list(names)
    assert all(isfinite(line.elo or 0.0) for line in found.lines)
    assert found.lack is None


def test_a_board_whose_bots_have_not_played_yet_has_lines_without_scores() -> None:
    found = standing(TRUE_CIRCLE, listed={"new"}, entrants=("new",))
    assert (found.by, [line.bot for line in found.lines]) == ("borda", ["new"])
