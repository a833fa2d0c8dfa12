from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.knock_out import (
    MAX_REPLAYS,
    bracket,
    groups,
    in_order,
    next_ties,
    places,
    qualified,
    ranked,
    share,
    winner,
)

LEVEL = {"a": 3, "b": 3}


@given(st.integers(1, 40), st.data())
def test_groups_are_nearly_equal_in_size_and_strength(n: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, n))
    dealt = groups([str(number) for number in range(n)], count)
    assert sorted(int(name) for group in dealt for name in group) == list(range(n))
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1
    assert all(int(group[0]) == at for at, group in enumerate(dealt))


@pytest.mark.parametrize("count", range(2, 9))
@pytest.mark.parametrize("places", range(1, 5))
def test_nobody_meets_its_own_group_first(count: int, places: int) -> None:
    standings = [[f"{group}{place}" for place in range(places)] for group in range(count)]
    seeds = qualified(standings, places)
    assert len(seeds) == count * places
    assert all(name[1] == "0" for name in seeds[:count])
    assert all(len(tie) == 1 or tie[0][0] != tie[1][0] for tie in bracket(seeds))


@given(st.integers(2, 40))
def test_in_a_knock_out_the_best_two_meet_last_and_only_the_best_rest(n: int) -> None:
    ties = bracket([f"{number:02d}" for number in range(n)])
    resting = [tie[0] for tie in ties if len(tie) == 1]
    assert sorted(resting) == [f"{number:02d}" for number in range(len(resting))]
    while len(ties) > 1:
        assert not any(set(tie) == {"00", "01"} for tie in ties)
        ties = next_ties([(min(tie),) for tie in ties])
    assert ties == [("00", "01")]


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="two entrants"):
        bracket(["alone"])
    with pytest.raises(ValueError, match="1 to 2 groups"):
        groups(["a", "b"], 3)


def test_a_group_is_ordered_by_the_share_of_points_and_equals_as_they_were_drawn() -> None:
    shares = {"a": share([(1, 4), (2, 4)]), "b": share([(4, 4)]), "c": share([(3, 8)])}
    assert shares == {"a": Fraction(3, 8), "b": Fraction(1), "c": Fraction(3, 8)}
    assert in_order(["c", "new", "a", "b"], shares) == ["b", "new", "c", "a"]


def test_group_rank_is_the_place_first_and_the_share_next() -> None:
    shares = {"a": Fraction(2, 3), "c": Fraction(9, 10), "b": Fraction(1, 2), "d": Fraction(3, 5)}
    assert ranked([["a", "b"], ["c", "d"]], shares) == ["c", "a", "d", "b"]


@pytest.mark.parametrize(
    ("legs", "out", "expected"),
    [
        ([], (), None),
        ([{"a": 4, "b": 2}], (), ("a",)),
        ([{"a": 2, "b": 4}], (), ("b",)),
        ([LEVEL], (), None),
        ([LEVEL, {"a": 1, "b": 5}], (), ("b",)),
        ([LEVEL] * (1 + MAX_REPLAYS), (), ("b",)),
        ([{"a": 4, "b": 2}], ("a",), ("b",)),
        ([], ("b",), ("a",)),
        ([], ("a", "b"), ()),
    ],
)
def test_a_tie_is_won_or_played_on_and_at_last_goes_to_the_better_group_rank(
    legs: list[dict[str, int]], out: tuple[str, ...], expected: tuple[str, ...] | None
) -> None:
    assert winner(("a", "b"), legs, ["b", "a"], out=out) == expected


def test_who_rests_goes_on() -> None:
    assert winner(("a",), [], ["a"]) == ("a",)
    assert next_ties([("a",), ("b",), (), ("d",)]) == [("a", "b"), ("d",)]


def test_the_last_order_is_by_how_far_one_came_and_then_by_group_rank() -> None:
    levels = [[("a", "d"), ("b", "c")], [("a", "c")]]
    ranks = ["a", "b", "c", "d", "e"]
    assert places(levels, ("c",), ranks) == ["c", "a", "b", "d", "e"]
