from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.season import due, finished, plan, remaining

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
