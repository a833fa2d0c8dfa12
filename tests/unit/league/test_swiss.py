from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.pairing import pair_key
from matchbox.league.swiss import points_of, result_of, rounds_of, swiss_round

EIGHT = [f"b{number}" for number in range(8)]


def play(n: int, rounds: int, owner: dict[str, str] | None = None) -> Counter[tuple[str, str]]:
    """Counts the meetings of a Swiss system that the better seed always wins; a bye counts as (a,
    a)."""
    seeds = [f"b{number:03d}" for number in range(n)]
    points = dict.fromkeys(seeds, 0.0)
    history: Counter[tuple[str, str]] = Counter()
    byes: list[str] = []
    whose = owner or {}
    for _ in range(rounds):
        found = swiss_round(
            points,
            seeds,
            history,
            had_bye=byes,
            may_meet=lambda a, b: whose.get(a, a) != whose.get(b, b),
        )
        seated = [name for one in found.pairings for name in one.seats] + list(found.rests)
        assert sorted(seated) == seeds
        for one in found.pairings:
            points[min(one.seats)] += 1
            history[pair_key(*one.seats)] += 1
        for name in found.rests:
            points[name] += 1
            history[name, name] += 1
        byes += found.rests
    return history


def test_the_upper_half_of_a_score_group_meets_its_lower_half() -> None:
    first = swiss_round({}, EIGHT, set())
    assert [one.seats for one in first.pairings] == [(EIGHT[at], EIGHT[at + 4]) for at in range(4)]
    points = dict.fromkeys(EIGHT[:4], 1.0)
    history = {pair_key(*one.seats) for one in first.pairings}
    second = swiss_round(points, EIGHT, history)
    assert [one.seats for one in second.pairings] == [
        ("b0", "b2"),
        ("b1", "b3"),
        ("b4", "b6"),
        ("b5", "b7"),
    ]


@given(st.integers(2, 40))
def test_nobody_meets_anybody_twice_and_nobody_has_two_byes(n: int) -> None:
    history = play(n, rounds_of(n) if n > 9 else min(rounds_of(n), n // 2))
    assert max(history.values()) == 1
    byes = sum(history[name, name] for name, other in history if name == other)
    assert byes == (rounds_of(n) if n > 9 else min(rounds_of(n), n // 2)) * (n % 2)


@given(st.integers(3, 12))
def test_bots_of_one_owner_never_meet(owners: int) -> None:
    owner = {f"b{number:03d}": f"o{number % owners}" for number in range(3 * owners)}
    history = play(3 * owners, 4, owner)
    assert all(a == b or owner[a] != owner[b] for a, b in history)


def test_a_pair_meets_again_only_if_nobody_can_be_paired_otherwise() -> None:
    history = {("b0", "b4"), ("b0", "b5"), ("b1", "b4"), ("b1", "b5"), ("b4", "b5")}
    found = swiss_round({}, EIGHT[:6], history)
    assert {name for one in found.pairings for name in one.seats} == set(EIGHT[:6])
    assert history.isdisjoint(pair_key(*one.seats) for one in found.pairings)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8, 9])
def test_once_all_have_met_they_meet_and_have_byes_evenly_again(n: int) -> None:
    cycle = n - 1 + n % 2
    history = play(n, 3 * cycle)
    meetings = [history[pair] for pair in history if pair[0] != pair[1]]
    assert len(meetings) == n * (n - 1) // 2
    assert max(meetings) - min(meetings) <= 2
    byes = [history[f"b{at:03d}", f"b{at:03d}"] for at in range(n)]
    assert byes == [3 * (n % 2)] * n


def test_the_only_bot_that_others_may_meet_has_no_bye() -> None:
    history = play(3, 2, {"b000": "alice", "b001": "alice", "b002": "bob"})
    assert sorted(history) == [
        ("b000", "b000"),
        ("b000", "b002"),
        ("b001", "b001"),
        ("b001", "b002"),
    ]


def test_a_bot_has_a_bye_if_a_pair_would_meet_again_otherwise() -> None:
    found = swiss_round({}, ["a", "b", "c"], {("a", "b")})
    assert (found.pairings[0].seats, found.rests) == (("c", "b"), ("a",))


def test_an_owner_of_most_bots_costs_no_time() -> None:
    owner = {f"b{number:03d}": "alice" for number in range(200)}
    history = play(301, 2, owner)
    assert sum(a != b for a, b in history) == 2 * 101


def test_a_thousand_are_paired_in_as_many_rounds_as_told() -> None:
    assert [rounds_of(n) for n in (0, 2, 3, 8, 100, 1000)] == [0, 1, 3, 5, 9, 12]
    assert max(play(1000, 3).values()) == 1


def test_a_win_and_a_rest_are_a_point_and_a_draw_is_half() -> None:
    results = [{"a": 3, "b": 1}, {"a": 2, "c": 2}, {"b": 0, "c": 0}]
    assert points_of(results, ["b", "b"]) == {"a": 1.5, "b": 2.5, "c": 1.0}


@pytest.mark.parametrize(
    ("half_points", "disqualified", "results"),
    [
        (None, False, {"a": -1, "b": 0}),
        (None, True, {"a": -1, "b": 0}),
        ({"a": 3, "b": 1}, False, {"a": 3, "b": 1}),
        ({"a": 3, "b": 1}, True, {"a": -1, "b": 1}),
    ],
)
def test_who_is_out_loses_its_void_matches_and_who_is_disqualified_all(
    half_points: dict[str, int] | None, disqualified: bool, results: dict[str, int]
) -> None:
    gone = frozenset({"a"})
    lost = gone if disqualified else frozenset()
    assert result_of(("a", "b"), half_points, out=gone, disqualified=lost) == results
