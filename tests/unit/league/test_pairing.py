from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import Dice, SeededDice
from matchbox.league.pairing import (
    NEWCOMER_MATCHES,
    Contender,
    berger,
    double_round_robin,
    met,
    next_pairing,
    next_round,
)
from tests.unit.league.builders import published

SETTLED = [Contender(f"b{n:02d}", 1500.0 + 10 * n, 60.0, 100) for n in range(12)]


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


def test_a_newcomer_is_served_first() -> None:
    field = [*SETTLED, Contender("new", 1555.0, 480.0, NEWCOMER_MATCHES - 1)]
    pairings = [next_pairing(field, {}, dice(step)) for step in range(300)]
    assert sum("new" in pairing.seats for pairing in pairings if pairing) > 0.75 * 300


def test_four_in_five_pairings_are_between_neighbours_and_the_rest_reach_everybody() -> None:
    place = {one.entrant: number for number, one in enumerate(SETTLED)}
    gaps: Counter[int] = Counter()
    for step in range(2000):
        pairing = next_pairing(SETTLED, {}, dice(step))
        assert pairing is not None
        one, other = (place[seat] for seat in pairing.seats)
        gaps[abs(one - other)] += 1
    # Of the uniform fifth, some are neighbours by chance: 21 of 66 pairs.
    assert gaps[1] + gaps[2] == pytest.approx(2000 * (0.8 + 0.2 * 21 / 66), rel=0.05)
    assert set(gaps) == set(range(1, 12))


def test_among_neighbours_the_pair_that_has_met_least_is_next() -> None:
    field = [
        Contender("a", 1600, 60, 100),
        Contender("b", 1500, 300, 1),
        Contender("c", 1400, 60, 100),
    ]
    history = {met("b", "a"): 9, met("b", "c"): 2}
    seats = [next_pairing(field, history, dice(step)) for step in range(200)]
    with_c = sum(set(pairing.seats) == {"b", "c"} for pairing in seats if pairing)
    assert with_c > 0.75 * 200


def test_an_entrant_that_stays_uncertain_does_not_starve_the_others() -> None:
    field = [Contender("loses-all", 900.0, 200.0, 500), *SETTLED]
    pairings = [next_pairing(field, {}, dice(step)) for step in range(1000)]
    seated = Counter(seat for pairing in pairings if pairing for seat in pairing.seats)
    assert min(seated[one.entrant] for one in SETTLED) > 40


@given(
    st.lists(
        st.tuples(
            st.floats(500, 2500), st.floats(1, 500), st.integers(0, 30), st.sampled_from("xyz")
        ),
        max_size=7,
    ),
    st.integers(0, 1000),
)
def test_nobody_meets_itself_or_a_bot_of_its_owner(
    drawn: list[tuple[float, float, int, str]], step: int
) -> None:
    field = [Contender(f"b{n}", *figures[:3]) for n, figures in enumerate(drawn)]
    owner = {f"b{n}": figures[3] for n, figures in enumerate(drawn)}
    pairing = next_pairing(field, {}, dice(step), owner=owner)
    if pairing is None:
        assert len(set(owner.values())) < 2
    else:
        one, other = pairing.seats
        assert owner[one] != owner[other]


def test_who_has_no_owner_on_the_list_meets_everybody() -> None:
    field = SETTLED[:2]
    assert next_pairing(field, {}, dice(0), owner={"b00": "alice"}) is not None
    assert next_pairing(field, {}, dice(0), owner={"b00": "alice", "b01": "alice"}) is None
    assert next_pairing(SETTLED[:1], {}, dice(0)) is None


def test_the_same_dice_choose_the_same_pairing_whatever_order_the_field_is_in() -> None:
    for step in range(20):
        once = next_pairing(SETTLED, {}, dice(step))
        assert next_pairing(SETTLED[::-1], {}, dice(step)) == once


def test_a_cooperative_round_has_a_table_for_everybody_who_has_not_played_enough() -> None:
    tables = next_round({"c": 2, "a": 0, "b": 3}, 3, 4)
    assert [pairing.seats for pairing in tables] == [("a",) * 4, ("c",) * 4]
    assert next_round({"a": 3}, 3, 4) == []
