from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import Dice, SeededDice
from matchbox.league.pairing import Pairing, pair_key
from matchbox.league.queue import (
    MIXED_PERCENT,
    NEWCOMER_MATCHES,
    Contender,
    Ladder,
    RankedQueue,
    next_round,
)

SETTLED = [Contender(f"b{n:02d}", 1500.0 + 10 * n, 60.0, 100) for n in range(12)]
ALL_MET = {pair_key(f"b{one:02d}", f"b{other:02d}"): 1 for one, other in combinations(range(12), 2)}


def dice(step: int) -> Dice:
    return SeededDice(b"queue", step)


def next_pairing(
    field: Sequence[Contender],
    history: Mapping[tuple[str, str], int],
    dice: Dice,
    owner: Mapping[str, str] | None = None,
    **how: Any,
) -> Pairing | None:
    """Returns the first pairing of this field, after the pairs of `history` have met that often."""

    def met(entrant: str) -> dict[str, int]:
        return {
            other: count
            for pair, count in history.items()
            if entrant in pair
            for other in pair
            if other != entrant
        }

    return RankedQueue(Ladder(field, owner), met, **how).next(dice)


def test_a_newcomer_is_served_first() -> None:
    field = [*SETTLED, Contender("new", 1555.0, 480.0, NEWCOMER_MATCHES - 1)]
    met = ALL_MET | {pair_key("new", one.entrant): 1 for one in SETTLED}
    pairings = [next_pairing(field, met, dice(step)) for step in range(300)]
    assert sum("new" in pairing.seats for pairing in pairings if pairing) > 0.75 * 300


def test_four_in_five_pairings_are_between_neighbours_and_the_rest_reach_everybody() -> None:
    place = {one.entrant: number for number, one in enumerate(SETTLED)}
    gaps: Counter[int] = Counter()
    for step in range(2000):
        pairing = next_pairing(SETTLED, ALL_MET, dice(step))
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
    history = {pair_key("b", "a"): 9, pair_key("b", "c"): 2, pair_key("a", "c"): 1}
    seats = [next_pairing(field, history, dice(step)) for step in range(200)]
    with_c = sum(set(pairing.seats) == {"b", "c"} for pairing in seats if pairing)
    assert with_c > 0.75 * 200


def test_an_entrant_that_stays_uncertain_does_not_starve_the_others() -> None:
    field = [Contender("loses-all", 900.0, 200.0, 500), *SETTLED]
    met = ALL_MET | {pair_key("loses-all", one.entrant): 1 for one in SETTLED}
    pairings = [next_pairing(field, met, dice(step)) for step in range(1000)]
    seated = Counter(seat for pairing in pairings if pairing for seat in pairing.seats)
    assert min(seated[one.entrant] for one in SETTLED) > 40


@pytest.mark.parametrize("seats", [2, 4])
def test_in_a_small_field_pairs_that_never_met_come_first(seats: int) -> None:
    history: Counter[tuple[str, str]] = Counter()
    owner = {"b00": "alice", "b11": "alice"}
    pairs = {two for two in ALL_MET if two != ("b00", "b11")}
    for step in range(len(pairs)):
        pairing = next_pairing(SETTLED, history, dice(step), seats=seats, owner=owner)
        assert pairing is not None
        met = {pair_key(*two) for two in combinations(pairing.seats, 2)}
        assert met - set(history), "somebody at each table is met for the first time"
        history.update(met)
        if set(history) == pairs:
            break
    assert set(history) == pairs


def test_in_a_large_field_only_the_matches_that_connect_it_seek_new_opponents() -> None:
    field = [Contender(f"b{n:02d}", 1500.0 + 10 * n, 60.0, 100) for n in range(40)]
    near = {pair_key(one.entrant, other.entrant): 1 for one, other in combinations(field[:39], 2)}
    pairings = [next_pairing(field, near, dice(step)) for step in range(1000)]
    assert 0.15 * 1000 < sum("b39" in one.seats for one in pairings if one) < 0.35 * 1000


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


def test_who_rests_is_only_company() -> None:
    field = [replace(SETTLED[0], matches=99), *SETTLED[1:]]
    for step in range(40):
        pairing = next_pairing(field, {}, dice(step), wanted=100)
        assert pairing is not None
        assert "b00" in pairing.seats
    assert next_pairing(SETTLED, {}, dice(0), wanted=100) is None


def test_each_table_counts_for_those_after_it() -> None:
    field = [replace(one, matches=0) for one in SETTLED[:3]]
    queue = RankedQueue(Ladder(field), lambda _: {}, wanted=2)
    tables = [queue.next(dice(step)) for step in range(4)]
    assert tables[-1] is None, "everybody has played enough"
    first, second, third = (frozenset(one.seats) for one in tables if one)
    assert len({first, second, third}) == 3, "each meets each other one first"


@pytest.mark.parametrize("changed", [1, 30])
def test_a_field_that_is_kept_and_changed_chooses_as_one_that_is_made_anew(changed: int) -> None:
    field = [Contender(f"b{n:02d}", 1500.0 + 10 * n, 60.0, n % 20) for n in range(40)]
    now = [Contender(f"b{n:02d}", 1700.0 - 10 * n, 50.0 + n, 2 * n) for n in range(changed)]
    kept, owner = Ladder(field, {"b00": "alice", "b01": "alice"}), {"b00": "alice", "b01": "alice"}
    kept.put(now)
    queued = {"b05": 3, "b39": 1}
    counted = [
        replace(one, matches=one.matches + queued.get(one.entrant, 0))
        for one in now + field[changed:]
    ]
    one = RankedQueue(kept, lambda _: {}, wanted=30, queued=queued)
    other = RankedQueue(Ladder(counted, owner), lambda _: {}, wanted=30)
    tables = [one.next(dice(step)) for step in range(60)]
    assert tables == [other.next(dice(step)) for step in range(60)]
    assert len({name for table in tables if table for name in table.seats}) > 20


def test_whoever_is_no_candidate_is_not_asked_about() -> None:
    field = [Contender(f"b{n:02d}", 1500.0 + 10 * n, 60.0, 100) for n in range(40)]
    asked: list[str] = []

    def met(entrant: str) -> dict[str, int]:
        asked.append(entrant)
        return {}

    pairing = RankedQueue(Ladder(field), met).next(dice(0))
    assert pairing is not None
    assert asked == [pairing.seats[0]]


def test_larger_tables_are_of_neighbours_who_have_met_least_without_two_of_one_owner() -> None:
    place = {one.entrant: number for number, one in enumerate(SETTLED)}
    owner = {"b00": "alice", "b01": "alice", "b02": "alice"}
    history: Counter[tuple[str, str]] = Counter()
    seated: Counter[str] = Counter()
    spans = []
    for step in range(600):
        pairing = next_pairing(SETTLED, history, dice(step), seats=4, owner=owner)
        assert pairing is not None
        assert len(set(pairing.seats)) == 4
        assert sum(name in owner for name in pairing.seats) <= 1
        history.update(pair_key(*two) for two in combinations(pairing.seats, 2))
        seated.update(pairing.seats)
        places = [place[name] for name in pairing.seats]
        spans.append(max(places) - min(places))
    assert sum(span <= 6 for span in spans) > 0.7 * 600
    assert set(seated) == set(place)
    assert min(seated[one.entrant] for one in SETTLED[3:]) > 0.5 * 600 * 4 / 12
    assert history[pair_key("b00", "b01")] == 0


def test_a_table_that_cannot_be_filled_without_two_of_one_owner_is_not_played() -> None:
    owner = dict.fromkeys((one.entrant for one in SETTLED[:10]), "alice")
    assert next_pairing(SETTLED, {}, dice(0), seats=4, owner=owner) is None
    assert next_pairing(SETTLED, {}, dice(0), seats=3, owner=owner) is not None


def alone(teams: list[Pairing]) -> bool:
    return all(len(set(team.seats)) == 1 for team in teams)


def test_a_cooperative_round_has_a_table_for_everybody_who_has_not_played_enough() -> None:
    tables = next_round({"c": 2, "a": 0, "b": 3}, 3, 4, dice(0))
    assert [pairing.seats for pairing in tables] == [("a",) * 4, ("c",) * 4]
    assert next_round({"a": 3}, 3, 4, dice(0)) == []


def test_a_quarter_of_the_cooperative_rounds_mixes_teams() -> None:
    matches = dict.fromkeys("abcdefg", 0)
    rounds = [next_round(matches, 9, 3, dice(step)) for step in range(400)]
    mixed = [teams for teams in rounds if not alone(teams)]
    assert len(mixed) == pytest.approx(400 * MIXED_PERCENT / 100, rel=0.25)
    for teams in mixed:
        assert len(teams) >= 2
        assert {name for team in teams for name in team.seats} == set(matches)
        assert all(len(set(team.seats)) == 3 for team in teams)


def test_a_newcomer_among_bots_that_rest_has_partners_and_other_teams_to_compare() -> None:
    matches = {**dict.fromkeys("abcdefgh", 9), "new": 0}
    for step in range(40):
        teams = next_round(matches, 9, 3, dice(step))
        assert sum("new" in team.seats for team in teams) >= 1
        assert alone(teams) or len(teams) == 2


@pytest.mark.parametrize("seats", [1, 3])
def test_a_field_that_fills_one_table_and_teams_of_one_seat_are_not_mixed(seats: int) -> None:
    matches = dict.fromkeys("abc", 0)
    for step in range(40):
        teams = next_round(matches, 9, seats, dice(step))
        assert [team.seats for team in teams] == [(name,) * seats for name in "abc"]
