from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from matchbox.dice import SeededDice
from matchbox.league.cooperative_boards import MeanScores, collect_scores, mixed_board, score
from matchbox.league.rows import Row
from matchbox.league.seating import mixed_teams
from tests.unit.league.builders import bout


def alone(rows: list[Row]) -> MeanScores:
    return score(collect_scores(rows))


def together(rows: list[Row]) -> MeanScores:
    return mixed_board(collect_scores(rows).part(mixed=True))


def team(bot: str, deal: int, scored: int) -> Row:
    """One deal played by a bot with copies of itself."""
    return bout((bot,) * 3, (1, 1, 1), match=f"{bot}{deal}", deal=f"{deal}", scores=(scored,) * 3)


def simulated(deals: int, gap: float, seed: int) -> list[Row]:
    rng = np.random.default_rng(seed)
    luck = 20 * rng.normal(size=deals)
    return [
        team(bot, deal, round(60 + worth + luck[deal] + 3 * rng.normal()))
        for bot, worth in (("a", gap), ("b", 0.0))
        for deal in range(deals)
    ]


def test_the_interval_of_a_mean_is_students() -> None:
    scored = [61, 70, 55, 90, 71]
    board = alone([team("a", deal, value) for deal, value in enumerate(scored)])
    low, high = stats.t.interval(0.95, 4, np.mean(scored), stats.sem(scored))
    assert board.means == pytest.approx([np.mean(scored)])
    assert board.intervals()[0] == pytest.approx((low, high))


def test_several_bouts_of_one_deal_are_one_deal() -> None:
    twice = [team("a", 0, 60), bout("a", (1,), match="again", deal="0", scores=(80,))]
    board = alone([*twice, team("a", 1, 50)])
    assert board.deals.tolist() == [2]
    assert board.means == pytest.approx([(65 + 50) / 2])


def test_on_the_same_deals_a_small_gap_shows_though_the_intervals_overlap() -> None:
    board = alone(simulated(60, 4.0, seed=1))
    one, other = board.intervals()
    assert one is not None
    assert other is not None
    assert one[0] < other[1]
    assert board.ranges() == [(1, 1), (2, 2)]


def test_equals_on_few_deals_are_told_apart_as_seldom_as_promised() -> None:
    told = [alone(simulated(6, 0.0, seed)).ranges() != [(1, 2)] * 2 for seed in range(200)]
    assert np.mean(told) <= 0.09


@pytest.mark.parametrize("deals", [2, 3, 10])
def test_the_ranges_of_eight_equals_on_few_deals_hold_as_often_as_promised(deals: int) -> None:
    held = []
    for seed in range(200):
        rng = np.random.default_rng([seed, deals])
        scores = np.rint(60 + 20 * rng.normal(size=(deals, 1)) + 3 * rng.normal(size=(deals, 8)))
        rows = [
            team(f"b{bot}", deal, int(scores[deal, bot]))
            for deal in range(deals)
            for bot in range(8)
        ]
        held.append(alone(rows).ranges() == [(1, 8)] * 8)
    assert np.mean(held) >= 0.91


def test_a_few_equal_differences_are_not_taken_for_certain() -> None:
    luck = [40, 90, 61, 20, 75, 50, 88, 33, 67, 45, 52, 71, 38, 64, 80, 57, 29, 93, 48, 66]
    rows = [
        team(bot, deal, luck[deal] + more)
        for bot, more in (("a", 1), ("b", 0))
        for deal in range(20)
    ]
    few = [row for row in rows if int(row.deal) < 3]
    assert alone(few).ranges() == [(1, 2), (1, 2)]
    assert alone(rows).ranges() == [(1, 1), (2, 2)]


def test_one_deal_tells_no_spread() -> None:
    board = alone([team("a", 0, 90), team("b", 0, 10), team("b", 1, 12), team("b", 2, 9)])
    assert board.intervals()[0] is None
    assert board.ranges() == [(1, 2), (1, 2)]


def test_a_few_equal_scores_tell_no_spread_but_many_do() -> None:
    luck = [40, 90, 61, 20, 75, 50, 88, 33, 67, 45, 52, 71, 38, 64, 80, 57, 29, 93, 48, 66]
    steady = [team("b", deal, value) for deal, value in enumerate(luck)]
    few = alone([*steady, team("a", 0, 60), team("a", 1, 60)])
    assert few.intervals()[0] is None
    assert few.ranges() == [(1, 2), (1, 2)]
    many = alone([*steady, *(team("a", deal, 0) for deal in range(20))])
    assert many.intervals()[0] == (0.0, 0.0)
    assert many.ranges() == [(2, 2), (1, 1)]


def test_a_newcomer_with_two_deals_widens_nobody_elses_range() -> None:
    settled = simulated(60, 4.0, seed=1)
    newcomer = [team("c", 0, 71), team("c", 1, 60)]
    assert alone([*settled, *newcomer]).ranges() == [(1, 2), (2, 3), (1, 3)]


def test_mixed_teams_score_for_every_seat() -> None:
    board = alone([bout("ab", (1, 1), scores=(40, 40)), bout("b", (1,), deal="1", scores=(20,))])
    assert dict(zip(board.entrants, board.means, strict=True)) == {"a": 40.0, "b": 30.0}


def test_a_bout_without_scores_is_refused() -> None:
    with pytest.raises(ValueError, match="match m has no scores"):
        alone([bout("ab", (1, 1))])


def test_no_rows_are_an_empty_board() -> None:
    board = alone([])
    assert board.entrants == ()
    assert board.intervals() == []
    assert board.ranges() == []


def mixed(rounds: int, worths: dict[str, float], seed: int) -> list[Row]:
    """Mixed teams of three. A score is the sum of the deal's luck, each seat's worth and some
    noise."""
    rng = np.random.default_rng(seed)
    rows = []
    plan = mixed_teams(sorted(worths), 3, rounds, SeededDice(b"mixed", seed))
    for deal, teams in enumerate(plan):
        luck = 20 * rng.normal()
        for number, one in enumerate(teams):
            value = 100 + luck + sum(worths[name] for name in one.seats) + 3 * rng.normal()
            scored = (round(value),) * 3
            rows.append(
                bout(one.seats, (1, 1, 1), match=f"t{number}", deal=f"{deal}", scores=scored)
            )
    return rows


def test_in_mixed_teams_a_bot_is_worth_what_its_seat_adds() -> None:
    worths = {f"b{number}": 4.0 * number for number in range(7)}
    board = together(mixed(60, worths, seed=2))
    assert board.means - board.means.mean() == pytest.approx(
        np.array([*worths.values()]) - 12.0, abs=2.5
    )
    assert board.ranges()[-1] == (1, 1)


def test_the_intervals_of_mixed_teams_hold_the_truth_as_often_as_they_say() -> None:
    worths = {f"b{number}": 2.0 * number for number in range(6)}
    truth = np.array([*worths.values()]) - np.mean([*worths.values()])
    inside = []
    for seed in range(80):
        board = together(mixed(24, worths, seed))
        middle = board.means.mean()
        for at, interval in enumerate(board.intervals()):
            assert interval is not None
            inside.append(interval[0] - middle <= truth[at] <= interval[1] - middle)
    assert 0.90 <= np.mean(inside) <= 0.985


def test_partners_that_were_never_parted_are_not_told_apart_and_nothing_is_certain() -> None:
    rows = [
        bout(seats, (1, 1, 1), match=f"{seats}{deal}", deal=f"{deal}", scores=(value + deal,) * 3)
        for deal in range(10)
        for seats, value in (("abc", 30), ("dec", 10 + 3 * (deal % 2)))
    ]
    board = together(rows)
    assert board.means[0] == pytest.approx(board.means[1])
    assert board.ranges() == [(1, 5)] * 5
    halves = [high - low for low, high in (one or (0.0, 0.0) for one in board.intervals())]
    assert min(halves) > 5


def test_a_forfeit_in_a_mixed_team_is_the_offender_s_alone() -> None:
    rows = mixed(40, {f"b{number}": 10.0 for number in range(6)}, seed=4)
    broken = [
        bout(row.seats, row.places, match=row.match, deal=row.deal, forfeit=row.seats.index("b0"),
             scores=(0, 0, 0))
        if "b0" in row.seats and int(row.deal) % 4 == 0
        else row
        for row in rows
    ]  # fmt: skip
    board = together(broken)
    others = board.means[1:]
    assert board.means[0] < others.min() - 10
    assert np.ptp(others) < 8


def test_no_mixed_teams_are_an_empty_board_and_each_needs_scores() -> None:
    assert together([]).ranges() == []
    with pytest.raises(ValueError, match="match m has no scores"):
        together([bout("ab", (1, 1))])
