"""The statistics of dealt war: on made-up games, and on dealt games, compared with the known
figures."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import derive_deals
from matchbox.games.war import statistics
from matchbox.games.war.statistics import GameResult, Summary

GAMES = [
    GameResult((190, 174), (220, 144), False),
    GameResult((180, 184), (200, 164), False),
    GameResult((150, 214), (88, 276), True),
    GameResult((182, 182), (100, 264), False),
    GameResult((170, 194), (182, 182), True),
]
any_game = st.builds(
    lambda initial, final, ran_out: GameResult(
        (initial, 364 - initial), (final, 364 - final), ran_out
    ),
    st.integers(120, 244),
    st.integers(0, 364),
    st.booleans(),
)


def test_totals_are_compared_as_numbers() -> None:
    result = Summary(GAMES).result()
    assert result["winning"]["min"] == 200
    assert result["winning"]["max"] == 276
    assert result["winning"]["mean"] == 240
    assert (result["losing"]["min"], result["losing"]["max"]) == (88, 164)
    assert (result["initial_winning"]["min"], result["initial_losing"]["max"]) == (180, 184)


def test_shares_are_of_decided_games_and_draws_and_equal_hands_are_apart() -> None:
    result = Summary(GAMES).result()
    assert (result["games"], result["decided"], result["draws"]) == (5, 4, 1)
    assert result["won_by_lower_initial"] == 0.25
    assert result["won_by_lower_initial_games"] == 1
    assert result["equal_initials"] == 1
    assert result["ran_out_in_tie"] == 2
    assert result["shares"] == {"draws": 0.2, "equal_initials": 0.2, "ran_out_in_tie": 0.4}


@pytest.mark.parametrize("games", [[], [GAMES[-1]], [GAMES[-1]] * 3])
def test_no_decided_game_divides_by_nothing(games: list[GameResult]) -> None:
    result = Summary(games).result()
    assert result["decided"] == 0
    assert result["winning"] == {"min": None, "mean": None, "max": None, "mean_ci95": None}
    assert result["won_by_lower_initial"] is None
    assert result["correlation_winners"] is None
    assert statistics.sentences(result) == [
        "No game was decided, so there are no winners to speak of."
    ]


def test_one_decided_game_has_a_mean_and_no_correlation() -> None:
    result = Summary(GAMES[:1]).result()
    assert result["winning"] == {"min": 220, "mean": 220, "max": 220, "mean_ci95": [220, 220]}
    assert result["correlation_losers"] is None
    assert len(statistics.sentences(result)) == 3


@given(st.lists(any_game, min_size=3, max_size=40))
def test_the_correlation_is_numpys_and_the_losers_the_same(games: list[GameResult]) -> None:
    result = Summary(games).result()
    decided = [one for one in games if one.winner]
    totals = [(one.initial[one.winner - 1], one.final[one.winner - 1]) for one in decided]
    assert result["correlation_winners"] == result["correlation_losers"]
    if result["correlation_winners"] is None:
        assert any(len(set(side)) < 2 for side in zip(*totals, strict=True)) or not totals
    else:
        known = np.corrcoef(np.array(totals).T)[0, 1]
        assert result["correlation_winners"] == pytest.approx(known, abs=1e-6)


@given(st.lists(any_game, max_size=20), st.lists(any_game, max_size=20))
def test_games_may_be_counted_in_parts(first: list[GameResult], second: list[GameResult]) -> None:
    summary = Summary(first)
    summary.add(second)
    assert summary.result() == Summary(second + first).result()


def test_a_correlation_matrix_has_ones_across() -> None:
    value = statistics.correlation(Counter({(1, 2): 1, (2, 4): 2, (3, 5): 1}))
    assert value is not None
    assert statistics.matrix(value) == [[1.0, value], [value, 1.0]]


def test_a_deal_makes_the_game_of_the_referee() -> None:
    from matchbox import registry
    from matchbox.match.bout import LiveBout

    for deal in derive_deals("a test", 20):
        bout = LiveBout(registry.game("war"), deal, (0, 0), 2, statistics.OPTIONS)
        dealt = statistics.play(deal)
        assert tuple(bout.result().scores) == dealt.final
        assert bout.result().places == [1 + (dealt.winner == 2), 1 + (dealt.winner == 1)]
        assert sum(dealt.initial) == sum(dealt.final) == 364


def test_the_figures_come_near_the_known_ones() -> None:
    result = Summary(map(statistics.play, derive_deals("figures", 4000))).result()
    assert result["winning"]["mean"] == pytest.approx(226.1, abs=2)
    assert result["losing"]["mean"] == pytest.approx(137.9, abs=2)
    assert result["won_by_lower_initial"] == pytest.approx(0.192, abs=0.025)
    assert result["correlation_winners"] == pytest.approx(0.606, abs=0.05)
    assert result["shares"]["draws"] == pytest.approx(0.007, abs=0.006)
    assert result["shares"]["equal_initials"] == pytest.approx(0.029, abs=0.012)
    assert result["shares"]["ran_out_in_tie"] == pytest.approx(0.05, abs=0.016)
    assert 183 <= result["winning"]["min"] < 190


def test_the_games_won_from_the_lower_hand_are_listed() -> None:
    games = [statistics.play(deal) for deal in derive_deals("cases", 400)]
    cases = statistics.lower_initial_wins(games)
    upsets = [number for number, one in enumerate(games, 1) if one.upset]
    assert [case["game"] for case in cases] == upsets[: statistics.LISTED]
    assert len(upsets) > statistics.LISTED == len(cases)
    for case in cases:
        assert case["winner_initial"] < case["loser_initial"]
        assert case["winner_final"] > case["loser_final"]
        assert case["winner_final"] == games[case["game"] - 1].final[case["winner"] - 1]


def test_a_row_is_a_game() -> None:
    assert statistics.row(3, GAMES[2]) == ["3", "150", "214", "88", "276", "2", "1"]
    assert len(statistics.row(1, GAMES[0])) == len(statistics.COLUMNS)


def test_the_sentences_name_the_figures() -> None:
    told = " ".join(statistics.sentences(Summary(GAMES).result()))
    assert "240.00 points in the mean (200 to 276)" in told
    assert "1 of 4 decided games (25.00%)" in told
    assert "the lowest that won was 180, the highest that lost 184" in told
    assert "both totals always add up to 364" in told
