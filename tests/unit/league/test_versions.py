from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from matchbox.league.estimate import _End, estimate
from matchbox.league.rows import Row
from matchbox.league.sprt import Trial, trial_state
from matchbox.league.versions import (
    GauntletSums,
    deal_pairs,
    gauntlet,
    gauntlet_document,
    head_to_head_document,
    judge,
    line_ups,
    mean_difference,
)
from tests.unit.league.builders import bout

RESULT = {0: (2, 1), 1: (1, 1), 2: (1, 2)}


def pair(deal: int, first: int, second: int) -> list[Row]:
    """A deal in both rotations: the half points of "new" in each bout."""
    return [
        bout(("new", "old"), RESULT[first], deal=f"{deal}"),
        bout(("old", "new"), RESULT[2 - second], deal=f"{deal}", rotation=1),
    ]


def test_deals_are_counted_by_what_the_challenger_took_of_both_sides() -> None:
    rows = [
        row
        for at, halves in enumerate([(0, 0), (0, 1), (2, 0), (1, 1), (2, 1), (2, 2)])
        for row in pair(at, *halves)
    ]
    half, other = pair(9, 2, 2)[:1], [bout(("new", "third"), (1, 2), deal="8")]
    assert deal_pairs([*rows, *rows, *half, *other], "new", "old") == (1, 1, 2, 1, 1)
    assert deal_pairs(rows, "old", "new") == (1, 1, 2, 1, 1)
    again = [replace(row, match="again") for row in rows]
    assert deal_pairs([*rows, *again], "new", "old") == (2, 2, 4, 2, 2)
    assert judge(Trial(), deal_pairs(rows, "new", "old"), looks=1).estimate is None


def test_a_clear_head_to_head_ends_with_a_verdict_and_an_estimate_below_the_raw_elo() -> None:
    rows = [row for at in range(120) for row in pair(at, 2, 0 if at % 3 else 2)]
    trial = Trial()
    found = judge(trial, deal_pairs(rows, "new", "old"), looks=3)
    assert found.state.verdict == "better"
    assert found.estimate is not None
    share = 0.5 + 0.5 / 3
    assert 0 < found.estimate.elo < 400 * np.log10(share / (1 - share))
    assert found.estimate.low < found.estimate.elo < found.estimate.high
    assert found.estimate.p_better > 0.95
    told: Any = head_to_head_document(trial, found)
    assert (told["verdict"], told["games"], told["pairs"]) == ("better", 240, [0, 0, 80, 0, 40])
    assert told["llr"] > told["llr_bounds"][1] == pytest.approx(np.log(19), abs=1e-3)
    assert told["ci95"][0] < told["elo"] < told["ci95"][1]


def half_above(figure: float, truth: float) -> float:
    """1 if the figure lies above the truth, 0 below it, 0.5 if it is the truth."""
    return 0.5 if figure == pytest.approx(truth, abs=1e-5) else float(figure > truth)


@pytest.mark.parametrize("look", [20, 125])
@pytest.mark.parametrize(("elo", "luck"), [(0.0, 0.5), (0.0, 0.93), (25.0, 0.5)])
def test_the_estimate_lies_above_the_truth_half_of_the_time_and_its_bounds_around_it(
    elo: float, luck: float, look: int
) -> None:
    rng = np.random.default_rng(8)
    won = 1 / (1 + 10 ** (-elo / 400))
    chances = (1 - luck) * np.array([(1 - won) ** 2, 2 * won * (1 - won), won**2])
    chances += luck * np.array([0, 2 * (1 - won), 2 * won - 1])
    above, inside, raw = [], [], []
    for _ in range(150):
        counts = np.zeros(5, dtype=np.int64)
        while not trial_state(Trial(), counts.tolist()).over:
            counts[[0, 2, 4]] += rng.multinomial(look, chances)
        found = estimate(Trial(), counts.tolist(), looks=int(counts.sum()) // look)
        if found is None:  # all pairs were even
            continue
        share = float(counts @ [0, 0.25, 0.5, 0.75, 1]) / counts.sum()
        above.append(half_above(found.elo, elo))
        inside.append(found.low <= elo <= found.high)
        raw.append(half_above(share, won))
    assert 0.38 <= np.mean(above) <= 0.62
    assert abs(float(np.mean(above)) - 0.5) <= max(abs(float(np.mean(raw)) - 0.5), 0.06)
    assert np.mean(inside) >= 0.9


@pytest.mark.parametrize("elo", [-250.0, 250.0, 450.0])
def test_far_from_the_question_the_estimate_is_still_about_the_truth(elo: float) -> None:
    rng = np.random.default_rng(5)
    won = 1 / (1 + 10 ** (-elo / 400))
    chances = np.array([(1 - won) ** 2, 0, 2 * won * (1 - won), 0, won**2])
    found = []
    for _ in range(60):
        counts = np.zeros(5, dtype=np.int64)
        while not trial_state(Trial(), counts.tolist()).over:
            counts += rng.multinomial(20, chances)
        shown = estimate(Trial(), counts.tolist(), looks=int(counts.sum()) // 20)
        assert shown is not None
        found.append(shown)
    assert np.median([one.elo for one in found]) == pytest.approx(elo, rel=0.12)
    assert np.mean([one.low <= elo <= one.high for one in found]) >= 0.85


@pytest.mark.parametrize(("lower", "upper", "elo"), [(0, 200, 0), (0, 400, 50), (-1000, 0, -250)])
def test_bounds_far_apart_give_an_estimate_around_the_truth(
    lower: float, upper: float, elo: float
) -> None:
    rng, trial = np.random.default_rng(7), Trial(lower, upper)
    won = 1 / (1 + 10 ** (-elo / 400))
    chances = np.array([(1 - won) ** 2, 0, 2 * won * (1 - won), 0, won**2])
    found = []
    for _ in range(100):
        counts = np.zeros(5, dtype=np.int64)
        while not trial_state(trial, counts.tolist()).over:
            counts += rng.multinomial(10, chances)
        shown = estimate(trial, counts.tolist(), looks=int(counts.sum()) // 10)
        if shown is not None:  # some pairs differ
            found.append(shown)
    assert np.mean([one.low <= elo <= one.high for one in found]) >= 0.9
    assert 0.35 <= np.mean([one.elo > elo for one in found]) <= 0.65


def test_even_results_are_even_whatever_the_bounds() -> None:
    for trial in (Trial(0, 400), Trial(-1000, 0), Trial(0, 1000)):
        shown = estimate(trial, [6, 0, 13, 0, 6], looks=1)
        assert shown is not None
        assert shown.elo == pytest.approx(0, abs=1)
        assert shown.low < -40
        assert shown.high > 40


def test_a_strength_beyond_all_measure_is_told_as_the_farthest() -> None:
    shown = estimate(Trial(), [0, 0, 1, 0, 200], looks=1)
    assert shown is not None
    assert 400 < shown.low < shown.elo < shown.high <= 1500


@pytest.mark.parametrize(
    ("looks", "counts"), [(1, (30, 60, 20)), (3, (20, 70, 50)), (9, (60, 50, 10))]
)
@pytest.mark.parametrize("elo", [-60.0, 0.0, 60.0])
def test_the_law_of_the_end_is_that_of_played_walks(
    looks: int, counts: tuple[int, int, int], elo: float
) -> None:
    end = _End.of(Trial(), [counts[0], 0, counts[1], 0, counts[2]], looks)
    assert end is not None
    drift = end.drift(elo)
    rng, many = np.random.default_rng(3), 40_000
    at, lower, alive = np.zeros(many), np.zeros(many, dtype=bool), np.ones(many, dtype=bool)
    for look in range(looks):
        at += drift * end.step + np.sqrt(end.variance * end.step) * rng.standard_normal(many)
        wall = end.y if look == looks - 1 else end.a
        lower |= alive & (at < wall)
        alive &= (at > end.a) & (at < end.b)
    assert end.lower(elo) == pytest.approx(lower.mean(), abs=0.012)


def test_many_small_steps_are_one_motion_and_extreme_strengths_are_certain() -> None:
    fine = _End.of(Trial(), [700, 0, 2400, 0, 750], 3850)
    coarse = _End.of(Trial(), [700, 0, 2400, 0, 750], 385)
    assert fine is not None
    assert coarse is not None
    assert len(fine.density) > len(coarse.density)
    assert fine.lower(2.0) == pytest.approx(coarse.lower(2.0), abs=0.03)
    for end in (fine, coarse):
        assert end.lower(1500.0) == pytest.approx(0.0, abs=1e-9)
        assert end.lower(-1500.0) == pytest.approx(1.0, abs=1e-9)
        shares = [end.lower(elo) for elo in range(-300, 301, 10)]
        assert (np.diff(shares) <= 1e-9).all()


def test_results_without_spread_give_no_estimate_and_a_mirrored_trial_the_mirrored_one() -> None:
    assert estimate(Trial(), [0, 0, 0, 0, 40], looks=4) is None
    trial = Trial(-10, 10)
    counts = [20, 0, 70, 0, 40]
    one, other = estimate(trial, counts, looks=13), estimate(trial, counts[::-1], looks=13)
    assert one is not None
    assert other is not None
    assert one.elo == pytest.approx(-other.elo, abs=0.01)
    assert one.low == pytest.approx(-other.high, abs=0.01)
    scaled = estimate(Trial(0, 5, scale="normalized"), counts, looks=13)
    assert scaled is not None
    assert scaled.low < scaled.elo < scaled.high


def field_rows(name: str, wins_of: dict[str, list[bool]]) -> list[Row]:
    return [
        bout((name, other), (1, 2) if won else (2, 1), match=f"{name}{other}", deal=f"{deal}")
        for other, results in wins_of.items()
        for deal, won in enumerate(results)
    ]


def test_the_gauntlet_takes_the_deals_luck_out_of_the_difference() -> None:
    rng = np.random.default_rng(3)
    luck = rng.random(80) < 0.5
    better = luck | (rng.random(80) < 0.2)
    rows = field_rows("old", {"x": luck.tolist(), "y": luck.tolist()})
    rows += field_rows("new", {"x": better.tolist(), "y": luck.tolist()})
    found = gauntlet(rows, "new", "old")
    apart = (better.mean() - luck.mean()) / 2
    assert found.difference == pytest.approx(apart)
    assert found.by_opponent == pytest.approx({"x": 2 * apart, "y": 0.0})
    assert found.deals == 80
    assert found.ci95 is not None
    # Paired, the width is that of the few deals that differ: unpaired it would be near 0.2.
    assert 0 < found.ci95[0] < found.ci95[1] < apart + 0.05
    assert found.p_better is not None
    assert found.p_better > 0.97
    back = gauntlet(rows, "old", "new")
    assert back.difference == pytest.approx(-apart)


def test_a_gauntlet_that_is_added_up_deal_by_deal_is_the_same() -> None:
    rng = np.random.default_rng(5)
    wins = {name: {who: (rng.random(30) < 0.5).tolist() for who in "xy"} for name in ("old", "new")}
    rows = field_rows("old", wins["old"]) + field_rows("new", wins["new"])
    sums = GauntletSums("new", "old")
    for deal in range(30):
        sums.add(row for row in rows if row.deal == str(deal))
    once, by_deal = (
        gauntlet_document(one, 120) for one in (gauntlet(rows, "new", "old"), sums.gauntlet())
    )
    assert by_deal == once
    assert once["difference"] != 0


def test_a_gauntlet_of_one_deal_tells_no_spread_and_of_none_is_refused() -> None:
    rows = field_rows("old", {"x": [True]}) + field_rows("new", {"x": [False]})
    found = gauntlet(rows, "new", "old")
    assert (found.difference, found.ci95, found.p_better, found.deals) == (-1.0, None, None, 1)
    with pytest.raises(ValueError, match="share no deal"):
        gauntlet(field_rows("new", {"x": [True]}), "new", "old")


@pytest.mark.parametrize(("deals", "verdict"), [(2, "undecided"), (20, "better")])
def test_a_few_deals_that_all_come_out_the_same_are_not_certain(deals: int, verdict: str) -> None:
    rows = field_rows("old", {"x": [False] * deals}) + field_rows("new", {"x": [True] * deals})
    found = gauntlet(rows, "new", "old")
    assert found.verdict == verdict
    assert found.ci95 is not None
    assert -1 <= found.ci95[0] < 0.9 < found.difference == found.ci95[1] == 1.0
    assert found.p_better is not None
    assert 0.5 < found.p_better < 1


@pytest.mark.parametrize(("better", "verdict"), [(5, "undecided"), (15, "better")])
def test_a_few_small_gains_in_few_deals_are_no_proof(better: int, verdict: str) -> None:
    wins = [True] * better + [False] * (50 - better)
    same = {name: [False] * 50 for name in "wyz"}
    rows = field_rows("old", {"x": [False] * 50, **same}) + field_rows("new", {"x": wins, **same})
    found = gauntlet(rows, "new", "old")
    assert found.difference == pytest.approx(better / 200)
    assert found.verdict == verdict


@pytest.mark.parametrize("deals", [50, 100, 312])
def test_few_deals_that_differ_seldom_make_an_equal_version_better(deals: int) -> None:
    law, chances = [0.25, -1.0, 0.0], [0.08, 0.02, 0.9]
    rng = np.random.default_rng(4)
    found = [
        mean_difference(np.repeat(law, counts), np.ones(deals)).ci95 or (1.0, 1.0)
        for counts in rng.multinomial(deals, chances, size=600)
    ]
    assert np.mean([low > 0 for low, _ in found]) <= 0.06
    assert np.mean([low <= 0 <= high for low, high in found]) >= 0.92


def test_versions_that_win_everything_alike_are_not_told_apart() -> None:
    rows = field_rows("old", {"x": [True] * 5}) + field_rows("new", {"x": [True] * 5})
    found = gauntlet(rows, "new", "old")
    assert (found.difference, found.verdict, found.p_better) == (0.0, "undecided", 0.5)


@pytest.mark.parametrize(
    ("others", "seats", "cooperative", "tables"),
    [
        (0, 2, False, [(0, 1)]),
        (0, 3, True, [(0, 0, 0), (1, 1, 1)]),
        (2, 2, False, [(0, 2), (1, 2), (0, 3), (1, 3)]),
        (3, 4, False, [(0, 2, 3, 4), (1, 2, 3, 4)]),
        (1, 3, True, [(0, 2, 2), (1, 2, 2)]),
        (2, 4, False, [(0, 2, 3, 2), (1, 2, 3, 2), (0, 3, 2, 3), (1, 3, 2, 3)]),
    ],
)
def test_both_versions_sit_at_the_same_tables_with_everybody_equally_often(
    others: int, seats: int, cooperative: bool, tables: list[tuple[int, ...]]
) -> None:
    assert line_ups(others, seats, cooperative=cooperative) == tables


@pytest.mark.parametrize(("others", "seats"), [(0, 4), (2, 1)])
def test_tables_that_the_versions_cannot_fill_are_refused(others: int, seats: int) -> None:
    with pytest.raises(ValueError, match="field"):
        line_ups(others, seats, cooperative=False)


def test_teams_are_compared_by_their_scores_on_the_same_deals() -> None:
    rows = []
    for deal in range(30):
        for name, cards in (("new", 40 + deal + deal % 3), ("old", 40 + deal)):
            team = bout((name,) * 3, (1, 1, 1), deal=str(deal), match=name)
            rows.append(replace(team, scores=(cards,) * 3))
    found = gauntlet(rows, "new", "old", cooperative=True)
    assert (found.difference, found.verdict, found.by_opponent) == (1.0, "better", {})
    told: Any = gauntlet_document(found, 60)
    assert (told["verdict"], told["games"], told["deals"]) == ("better", 60, 30)
    assert told["difference_ci95"][0] < 1 < told["difference_ci95"][1]
    assert gauntlet(rows, "old", "new", cooperative=True).verdict == "not-better"
    few = gauntlet(rows[:2], "new", "old", cooperative=True)
    assert (few.verdict, gauntlet_document(few, 2)["difference_ci95"]) == ("undecided", None)


def test_an_estimate_between_close_hypotheses_needs_no_integral(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(number: int) -> None:
        raise MemoryError(f"an integral over {number} points")

    monkeypatch.setattr("matchbox.league.estimate._quadrature", fail)
    close, closer = (
        estimate(Trial(0, apart), [20, 40, 80, 40, 21], looks=4) for apart in (0.5, 0.01)
    )
    assert close is not None
    assert closer is not None
    assert closer.elo == pytest.approx(close.elo, abs=0.5)
    assert closer.low < closer.elo < closer.high
