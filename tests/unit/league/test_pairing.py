from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import Dice, SeededDice
from matchbox.league.pairing import (
    berger,
    double_round_robin,
)
from tests.unit.league.builders import published


def dice(step: int) -> Dice:
    return SeededDice(b"pairing", step)


def test_six_players_meet_in_the_order_of_the_published_table() -> None:
    rounds = [[[one + 1, other + 1] for one, other in pairs] for pairs in berger(6)]
    assert rounds == published("berger")["rounds"]


@given(st.integers(0, 33))
def test_everybody_meets_everybody_once_and_sits_once_a_round(n: int) -> None:
    rounds = berger(n)
    assert len(rounds) == (0 if n < 2 else n - 1 + n % 2)
    assert all(len({seat for pair in pairs for seat in pair}) == 2 * len(pairs) for pairs in rounds)
    played = Counter(tuple(sorted(pair)) for pairs in rounds for pair in pairs)
    assert played == Counter(combinations(range(n), 2))


@given(st.integers(0, 20))
def test_nobody_has_a_seat_much_more_often_than_the_other(n: int) -> None:
    first = Counter(pair[0] for pairs in berger(n) for pair in pairs)
    second = Counter(pair[1] for pairs in berger(n) for pair in pairs)
    assert all(abs(first[one] - second[one]) <= 1 for one in range(n))


@given(st.integers(2, 12))
def test_in_a_double_round_robin_the_second_half_changes_the_seats(n: int) -> None:
    names = [f"bot-{number}" for number in range(n)]
    rounds = double_round_robin(names)
    half = len(rounds) // 2
    for one, other in zip(rounds[:half], rounds[half:], strict=True):
        assert [pairing.seats[::-1] for pairing in one] == [pairing.seats for pairing in other]
    ordered = Counter(pairing.seats for pairings in rounds for pairing in pairings)
    assert set(ordered.values()) == {1}
    assert len(ordered) == n * (n - 1)


def test_an_entrant_listed_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="listed twice"):
        double_round_robin(["simple", "scared", "simple"])
