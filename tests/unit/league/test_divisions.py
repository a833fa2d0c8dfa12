from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.divisions import divide, fitting_divisions, next_divisions, promote_fitting

NAMES = [f"b{number}" for number in range(12)]


@pytest.mark.parametrize(
    "entrants, wanted, least, made",
    [(12, 3, 2, 3), (5, 3, 2, 2), (3, 3, 2, 1), (0, 3, 2, 1), (12, 3, 5, 2), (12, 1, 2, 1)],
)
def test_there_are_as_many_divisions_as_the_entrants_fill(
    entrants: int, wanted: int, least: int, made: int
) -> None:
    assert fitting_divisions(entrants, wanted, least) == made


def test_what_is_left_over_is_in_the_lowest_division() -> None:
    assert [len(order) for order in divide(NAMES[:11], 3)] == [3, 3, 5]
    assert list(chain(*divide(NAMES[:11], 3))) == NAMES[:11]


def test_divisions_without_entrants_are_refused() -> None:
    with pytest.raises(ValueError, match="1 entrants do not fill 2"):
        divide(["one"], 2)


def test_the_best_rise_and_the_last_sink_over_three_editions() -> None:
    first = [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]]
    second = next_divisions(first, 1, entrants="abcdefghi", divisions=3)
    assert second == [["a", "b", "d"], ["c", "e", "g"], ["f", "h", "i"]]
    won_by_the_last = [order[::-1] for order in second]
    third = next_divisions(won_by_the_last, 1, entrants="abcdefghi", divisions=3)
    assert third == [["d", "b", "g"], ["a", "e", "i"], ["c", "h", "f"]]


def test_a_newcomer_begins_at_the_bottom_and_who_left_is_replaced_from_below() -> None:
    last = [["a", "b", "c"], ["d", "e", "f"]]
    assert next_divisions(last, 1, entrants="acdefn", divisions=2) == [
        ["a", "d", "c"],
        ["e", "f", "n"],
    ]


def test_who_moves_up_for_a_bot_that_left_is_not_sent_back_for_a_worse_one() -> None:
    last = [["a", "b", "c"], ["d", "e", "f"]]
    assert next_divisions(last, 1, entrants="cdef", divisions=2) == [["c", "d"], ["e", "f"]]
    assert next_divisions(last, 1, entrants="bcdef", divisions=2) == [["b", "d"], ["c", "e", "f"]]


def test_who_rises_into_a_division_that_gets_smaller_stays_there() -> None:
    last = [["a", "b", "c", "d", "e"], ["f", "g", "h", "i", "j"]]
    assert next_divisions(last, 1, entrants="abcdefg", divisions=2) == [
        ["a", "b", "f"],
        ["c", "d", "e", "g"],
    ]


def test_who_rises_stays_also_below_several_divisions_that_get_smaller() -> None:
    last = ["abc", "def", "ghi", "jkl"]
    assert next_divisions(last, 1, entrants="abcdefghijl", divisions=4) == [
        ["a", "d"],
        ["b", "g"],
        ["c", "j"],
        ["e", "f", "h", "i", "l"],
    ]


def test_a_season_without_divisions_is_divided_in_its_final_order() -> None:
    assert next_divisions(["abcd"], 1, entrants="abcd", divisions=2) == [["a", "b"], ["c", "d"]]


def test_in_a_league_of_newcomers_the_order_given_divides() -> None:
    assert next_divisions([], 1, entrants=NAMES[:4], divisions=2) == [["b0", "b1"], ["b2", "b3"]]


def test_fewer_move_where_a_division_has_no_room_for_more() -> None:
    small = [["a", "b"], ["c", "d"]]
    assert promote_fitting(small, 5) == [["a", "c"], ["b", "d"]]
    assert promote_fitting([["a"], ["b"]], 5) == [["a"], ["b"]]
    assert promote_fitting([["a", "b", "c"]], 5) == [["a", "b", "c"]]
    assert promote_fitting([], 5) == []


def test_bots_move_between_large_divisions_whatever_the_size_of_another() -> None:
    assert promote_fitting(["abc", "def", "g"], 1) == [
        ["a", "b", "d"],
        ["c", "e", "f"],
        ["g"],
    ]
    assert promote_fitting(["a", "bcdef", "ghijk", "lmn"], 2) == [
        ["a"],
        ["b", "c", "d", "g", "h"],
        ["e", "f", "i", "l", "m"],
        ["j", "k", "n"],
    ]


@given(
    st.lists(st.lists(st.sampled_from(NAMES), max_size=6), max_size=4),
    st.lists(st.sampled_from(NAMES), min_size=4, unique=True),
    st.integers(1, 4),
    st.integers(1, 5),
)
def test_everybody_who_is_in_plays_in_one_division(
    last: list[list[str]], entrants: list[str], divisions: int, moving: int
) -> None:
    seen: set[str] = set()
    once = [[n for n in order if not (n in seen or seen.add(n))] for order in last]  # type: ignore[func-returns-value]
    made = next_divisions(once, moving, entrants=entrants, divisions=divisions)
    assert len(made) == divisions
    assert sorted(chain(*made)) == sorted(entrants)
    sizes = [len(order) for order in made]
    assert set(sizes[:-1]) <= {len(entrants) // divisions}
    assert sizes[-1] == max(sizes)


@given(st.integers(2, 4), st.integers(2, 6), st.integers(1, 3))
def test_where_nobody_comes_or_goes_nobody_crosses_two_borders(
    divisions: int, size: int, moving: int
) -> None:
    names = [f"b{number}" for number in range(divisions * size)]
    last = divide(names, divisions)
    made = next_divisions(last, moving, entrants=names, divisions=divisions)
    before = {name: at for at, order in enumerate(last) for name in order}
    after = {name: at for at, order in enumerate(made) for name in order}
    assert all(abs(before[name] - after[name]) <= 1 for name in names)
    assert made == promote_fitting(last, moving)
