from __future__ import annotations

import random
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import SeededDice
from matchbox.league.season import (
    due,
    finished,
    plan,
    plan_tables,
    plan_teams,
    promote,
    remaining,
)

FIELD = ["simple", "scared", "medium", "notebook", "late"]


def test_a_season_owes_every_pairing_twice() -> None:
    slots = plan(FIELD)
    assert len(slots) == 5 * 4
    assert len({slot.place for slot in slots}) == len(slots)
    assert remaining(slots, ()) == slots


def test_a_round_is_due_when_the_one_before_is_over() -> None:
    slots = plan(FIELD)
    first = due(slots, ())
    assert {slot.round for slot in first} == {0}
    assert due(slots, {first[0].place}) == first[1:]
    assert {slot.round for slot in due(slots, {slot.place for slot in first})} == {1}


@given(st.integers(2, 9), st.randoms(use_true_random=False))
def test_playing_what_is_due_in_any_order_ends_the_season_with_nothing_left(
    n: int, chance: random.Random
) -> None:
    slots = plan([f"b{number}" for number in range(n)])
    final: set[tuple[int, int]] = set()
    while not finished(slots, final):
        final.add(chance.choice(due(slots, final)).place)
    assert final == {slot.place for slot in slots}
    assert due(slots, final) == ()


def test_nobody_waits_for_an_entrant_that_is_out() -> None:
    slots = plan(FIELD)
    left = remaining(slots, (), out={"late"})
    assert len(left) == 4 * 3
    assert finished(slots, {slot.place for slot in left}, out={"late"})
    assert not finished(slots, {slot.place for slot in left})


def test_a_season_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="two entrants or more"):
        plan(["alone"])


def test_a_season_at_larger_tables_is_played_round_by_round_too() -> None:
    slots = plan_tables([*FIELD, "sixth"], 3, SeededDice(b"season", 0))
    assert {len(slot.pairing.seats) for slot in slots} == {3}
    assert len({slot.place for slot in slots}) == len(slots)
    assert max(slot.round for slot in slots) == 4
    apart = plan_tables(FIELD, 3, SeededDice(b"season", 0), owner={"simple": "x", "scared": "x"})
    assert not any({"simple", "scared"} <= set(slot.pairing.seats) for slot in apart)


def test_a_cooperative_season_has_everybody_alone_first_and_then_in_mixed_teams() -> None:
    slots = plan_teams(FIELD, 3, SeededDice(b"season", 0), mixed_rounds=2)
    alone = [slot.pairing.seats for slot in slots if slot.round == 0]
    assert alone == [(name,) * 3 for name in FIELD]
    assert {slot.round for slot in slots} == {0, 1, 2}
    for slot in slots[len(alone) :]:
        assert len(set(slot.pairing.seats)) == 3
    assert plan_teams(FIELD, 3, SeededDice(b"season", 0)) == slots[: len(alone)]
    assert len(plan_teams(FIELD[:2], 3, SeededDice(b"season", 0))) == 2


def test_the_best_rise_and_the_last_sink() -> None:
    divisions = [["a", "b", "c", "d"], ["e", "f", "g", "h", "i"], ["j", "k", "l"]]
    assert promote(divisions, 1) == [
        ["a", "b", "c", "e"],
        ["d", "f", "g", "h", "j"],
        ["i", "k", "l"],
    ]
    assert promote([["a", "b"]], 1) == [["a", "b"]]


@given(st.lists(st.integers(5, 9), min_size=1, max_size=4), st.integers(1, 2))
def test_divisions_keep_their_sizes_and_their_people(sizes: list[int], moving: int) -> None:
    names = iter(range(100))
    divisions = [[f"b{next(names)}" for _ in range(size)] for size in sizes]
    following = promote(divisions, moving)
    assert [len(order) for order in following] == sizes
    assert sorted(chain(*following)) == sorted(chain(*divisions))


@pytest.mark.parametrize("divisions", [[["a", "b"], ["a", "c"]], [["a"], ["b"]]])
def test_it_promotes_nobody_out_of_what_is_no_division(divisions: list[list[str]]) -> None:
    with pytest.raises(ValueError, match=r"two divisions|leave nobody"):
        promote(divisions, 1)
