"""The text tables of a result."""

from __future__ import annotations

from typing import Any

from matchbox.lab import result_rows

RESULT: Any = {
    "bots": ["a", "b"],
    "pairs": [
        {
            "first": "a",
            "second": "b",
            "games": 10,
            "first_wins": 7,
            "second_wins": 3,
            "draws": 0,
            "first_share": 0.7,
            "ci95": [0.45, 0.95],
            "mean_turns": 18.5,
        }
    ],
    "both_orders": [{"bot": "a", "other": "b", "games": 20, "share": 0.6, "ci95": [0.45, 0.75]}],
    "totals": [
        {"bot": "a", "share": 0.7, "ci95": [0.6, 0.8]},
        {"bot": "b", "share": 0.3, "ci95": [0.2, 0.4]},
    ],
}


def a_result(**parts: Any) -> Any:
    """The parts of a result that a table reads."""
    return parts


def test_the_table_has_a_row_per_bot_and_leaves_out_what_was_not_played() -> None:
    assert result_rows.crosstable(RESULT) == [
        ["a", "", "70.0 ±25.0", "70.0 ±10.0"],
        ["b", "", "", "30.0 ±10.0"],
    ]


def test_an_interval_that_reaches_further_to_one_side_is_written_out() -> None:
    assert result_rows.percent(1.0, [0.722, 1.0]) == "100.0 (72.2 to 100.0)"
    assert result_rows.percent(0.97, [0.958, 0.98]) == "97.0 ±1.1"
    assert result_rows.percent(0.0, [0.0, 0.00383]) == "0.0 (0.0 to 0.4)"
    assert result_rows.percent(0.003, [0.001, 0.0088]) == "0.3 (0.1 to 0.9)"


def test_each_pair_stands_over_both_orders_from_either_side() -> None:
    assert result_rows.both_orders(RESULT) == [["a", "", "60.0 ±15.0"], ["b", "40.0 ±15.0", ""]]


def test_an_ordered_pair_has_its_share_over_both_orders_beside_it() -> None:
    columns, row = result_rows.pair_rows(RESULT)
    assert columns[-2:] == ["first_share %", "over both orders %"]
    assert row == ["a", "b", "10", "7", "3", "0", "18.5", "70.0 ±25.0", "60.0 ±15.0"]


def test_a_bot_against_itself_has_no_share_over_both_orders() -> None:
    mirror = {**RESULT["pairs"][0], "second": "a"}
    assert result_rows.pair_rows(a_result(**RESULT | {"pairs": [mirror]}))[1][-1] == ""


def test_rows_of_a_file_have_tabs_between_their_cells() -> None:
    assert (
        result_rows.tsv([(1, "random", 10), (1, "minimal", 6)]) == "1\trandom\t10\n1\tminimal\t6\n"
    )


def test_a_grid_has_a_row_per_bot_and_a_column_per_table_size() -> None:
    cells = [
        {
            "bot": bot,
            "players": size,
            "deals": 20,
            "mean": size + 0.125,
            "ci95": [size, size + 0.25],
        }
        for size in (1, 2)
        for bot in ("a", "b")
    ]
    assert result_rows.sizes_of(a_result(cells=cells)) == [1, 2]
    assert result_rows.grid_rows(a_result(cells=cells)) == [
        ["a", "1.12 ±0.12", "2.12 ±0.12"],
        ["b", "1.12 ±0.12", "2.12 ±0.12"],
    ]


def test_a_mean_score_has_no_interval_that_cannot_be() -> None:
    cell = {"bot": "a", "players": 1, "deals": 20, "mean": 3.0, "ci95": [0.0, 19.1]}
    for change, shown in (({}, "3.00 (0.00 to 19.10)"), ({"deals": 19}, "3.00")):
        assert result_rows.grid_rows(a_result(cells=[{**cell, **change}])) == [["a", shown]]


def test_facts_within_facts_are_columns_of_their_own() -> None:
    found = [
        {"players": 2, "games": 9, "mean_rounds": 4.95, "challenges": {"met": 0.4, "failed": 0.6}},
        {"players": 3, "games": 9, "mean_rounds": 8.0, "challenges": {"met": 0.3}},
    ]
    assert result_rows.fact_rows(a_result(tables=found)) == [
        ["players", "mean_rounds", "challenges: met", "challenges: failed"],
        ["2", "4.95", "0.4", "0.6"],
        ["3", "8", "0.3", ""],
    ]


def test_places_are_a_row_per_table_size_and_bot() -> None:
    one = {"bot": "a", "games": 8, "first_share": 0.5, "ci95": [0.4, 0.6], "mean_place": 1.5}
    table = {"players": 2, "places": [one]}
    assert result_rows.place_rows(a_result(tables=[table])) == [
        ["2", "a", "8", "50.0 ±10.0", "1.50"]
    ]


def test_a_grid_tells_the_highest_scores() -> None:
    scores = [("a", 1, 9), ("b", 1, 31), ("a", 2, 12), ("b", 2, 30)]
    cells = [{"bot": bot, "players": size, "max": score} for bot, size, score in scores]
    assert result_rows.highest_rows(a_result(cells=cells)) == [
        ["a", "9", "12", "12"],
        ["b", "31", "30", "31"],
    ]


def test_a_grid_tells_what_was_won_only_where_something_was() -> None:
    cells = [{"bot": "a", "players": size, "won": size / 8} for size in (1, 2)]
    assert result_rows.won_rows(a_result(cells=cells)) == [["a", "12.5", "25.0"]]
    assert result_rows.won_rows(a_result(cells=[{"bot": "a", "players": 1, "won": 0.0}])) == []
    assert result_rows.won_rows(a_result(cells=[{"bot": "a", "players": 1}])) == []


def test_what_a_game_tells_of_a_pair_is_rows_of_shares_and_of_counts() -> None:
    counts = {"Bear": {"W": 3, "L": 1}, "Dragon": {"W": 0, "L": 2}}
    ends = {"life": 0.25, "library": 0.75}
    facts = {"ended_by_life": 0.25, "ends": ends, "summons": counts}
    told = {**RESULT["pairs"][0], "facts": facts}
    other = {**RESULT["pairs"][0], "first": "b", "second": "a"}
    result = a_result(pairs=[told, other])
    assert result_rows.shares_rows(result) == [
        ["first", "second", "ended_by_life", "ends: life", "ends: library"],
        ["a", "b", "0.25", "0.25", "0.75"],
        ["b", "a", "", "", ""],
    ]
    assert result_rows.counts_rows(result) == {
        "summons": [
            ["first", "second", "", "W", "L"],
            ["a", "b", "Bear", "3", "1"],
            ["a", "b", "Dragon", "0", "2"],
        ]
    }


def test_a_game_that_tells_nothing_of_its_pairs_has_no_such_rows() -> None:
    assert result_rows.shares_rows(RESULT) == []
    assert result_rows.counts_rows(RESULT) == {}


def test_a_single_game_has_no_interval() -> None:
    cells = [{"bot": "a", "players": 3, "deals": 20, "mean": 41.0, "ci95": [41.0, 41.0]}]
    assert result_rows.grid_rows(a_result(cells=cells)) == [["a", "41.00"]]
