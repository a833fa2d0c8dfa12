from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
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


@given(st.lists(st.integers(0, 6), min_size=2, max_size=9), st.integers(1, 6))
def test_groups_that_are_short_meet_themselves_first_only_if_they_must(
    sizes: list[int], places: int
) -> None:
    standings = [[f"{group}{place}" for place in range(n)] for group, n in enumerate(sizes)]
    seeds = qualified(standings, places)
    assert sorted(seeds) == sorted(name for one in standings for name in one[:places])
    playing = [tie for tie in bracket(seeds) if len(tie) == 2] if len(seeds) > 1 else []
    for tie in playing:
        if tie[0][0] == tie[1][0]:
            own = [name for pair in playing for name in pair if name[0] == tie[0][0]]
            assert len(own) > len(playing), "another pair could have changed with it"
    byes = len(seeds) - 2 * len(playing)
    winners = sum(1 for one in standings if one)
    assert sum(int(name[1]) == 0 for name in seeds[:byes]) == min(byes, winners)


@pytest.mark.parametrize(
    ("sizes", "places", "ties"),
    [
        ([2, 1, 2, 1, 2], 2, ["00 41", "30 40", "10 21", "20 01"]),
        ([3, 4], 4, ["10", "11 02", "00 13", "01 12"]),
    ],
)
def test_a_seed_that_would_meet_its_own_group_changes_with_one_of_its_place(
    sizes: list[int], places: int, ties: list[str]
) -> None:
    standings = [[f"{group}{place}" for place in range(n)] for group, n in enumerate(sizes)]
    assert [" ".join(tie) for tie in bracket(qualified(standings, places))] == ties


@given(st.lists(st.integers(0, 8), min_size=1, max_size=14), st.integers(1, 6))
@example([1, 1, 1, 3], 3)  # A winner has a bye in place of the second.
@example([2, 1, 4], 5)  # A winner has a bye in place of the best.
@example([1, 7, 4, 3, 2], 6)  # There is no bye.
def test_the_winners_of_the_first_two_groups_meet_last_whatever_bots_the_groups_have_lost(
    sizes: list[int], places: int
) -> None:
    standings = [[f"{group:02d}.{place}" for place in range(n)] for group, n in enumerate(sizes)]
    seeds = qualified(standings, places)
    if len(seeds) > 2:
        best = sorted(seeds, key=lambda name: (name[3:], name))[:2]
        ties = bracket(seeds)
        halves = [sum(half, ()) for half in (ties[: len(ties) // 2], ties[len(ties) // 2 :])]
        assert all(len(set(best) & set(half)) == 1 for half in halves)


@given(st.integers(2, 40))
def test_in_a_knock_out_the_best_two_meet_last_and_only_the_best_have_byes(n: int) -> None:
    ties = bracket([f"{number:02d}" for number in range(n)])
    byes = [tie[0] for tie in ties if len(tie) == 1]
    assert sorted(byes) == [f"{number:02d}" for number in range(len(byes))]
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
