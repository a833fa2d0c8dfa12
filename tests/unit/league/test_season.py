"""Promotion and relegation after a season."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.season import promote


def test_the_best_rise_and_the_last_sink() -> None:
    divisions = [["a", "b", "c", "d"], ["e", "f", "g", "h", "i"], ["j", "k", "l"]]
    assert promote(divisions, [1, 1]) == [
        ["a", "b", "c", "e"],
        ["d", "f", "g", "h", "j"],
        ["i", "k", "l"],
    ]
    assert promote([["a", "b"]], []) == [["a", "b"]]


@given(st.lists(st.integers(5, 9), min_size=1, max_size=4), st.integers(1, 2))
def test_divisions_keep_their_sizes_and_their_people(sizes: list[int], moving: int) -> None:
    names = iter(range(100))
    divisions = [[f"b{next(names)}" for _ in range(size)] for size in sizes]
    following = promote(divisions, [moving] * (len(sizes) - 1))
    assert [len(order) for order in following] == sizes
    assert sorted(chain(*following)) == sorted(chain(*divisions))


@pytest.mark.parametrize("divisions", [[["a", "b"], ["a", "c"]], [["a"], ["b"]]])
def test_it_promotes_nobody_out_of_what_is_no_division(divisions: list[list[str]]) -> None:
    with pytest.raises(ValueError, match=r"two divisions|leave nobody"):
        promote(divisions, [1])
