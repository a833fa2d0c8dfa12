"""Counts of bouts: added up from parts, they give the standing of the whole."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchbox.dice import SeededDice
from matchbox.league.counts import CountedInBoth, Counts, add, count
from matchbox.league.rows import Row
from matchbox.league.seating import mixed_teams
from matchbox.league.standings import standing, standing_of
from tests.unit.league.builders import bout, play_field

FIELDS = {
    table: play_field([0.0, 40.0, 90.0, 120.0], table=table, deals=4, luck=0.6, seed=table)
    for table in (2, 3)
}


def teams() -> list[Row]:
    """Rounds on common deals: three bots with copies of themselves, and mixed teams."""
    plan = mixed_teams("abcd", 2, 4, SeededDice(b"teams", 0))
    rounds: list[list[tuple[str, ...]]] = [[(name,) * 2 for name in "abcd"] for _ in range(4)]
    rounds += [[team.seats for team in made] for made in plan]
    return [
        bout(seats, (1, 1), match=f"{number}{at}", deal=f"{number}/{deal}", scores=(worth, worth))
        for number, made in enumerate(rounds)
        for at, seats in enumerate(made)
        for deal in range(2)
        for worth in (10 * number + 3 * deal + ord(seats[0]) % 7 + 2 * (ord(seats[1]) % 5),)
    ]


TEAMS = teams()


def in_parts(rows: list[Row], chance: random.Random, **how: bool) -> Counts:
    """Counts the matches in parts: in any order, some late, some twice."""
    names = sorted({row.match for row in rows})
    chance.shuffle(names)
    counts = count([], **how)
    while names:
        part, names = names[:3], names[3:]
        twice = [row for row in rows if row.match in part for _ in range(chance.randint(1, 2))]
        chance.shuffle(twice)
        counts = add(counts, count(twice, **how))
    return counts


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([2, 3]), st.booleans(), st.randoms(use_true_random=False))
def test_matches_counted_one_by_one_give_the_same_standing_to_the_bit(
    table: int, seat_term: bool, chance: random.Random
) -> None:
    rows = FIELDS[table]
    parents, entrants = {"b01": "b00"}, ("b00", "idle")
    once = standing(rows, entrants=entrants, parents=parents, seat_term=seat_term)
    counts = in_parts(rows, chance, seat_term=seat_term)
    again = standing_of(counts, entrants=entrants, parents=parents, seat_term=seat_term)
    assert repr(again) == repr(once)


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_boards_of_teams_come_out_the_same_too_though_they_share_deals(
    chance: random.Random,
) -> None:
    once = standing(TEAMS, cooperative=True)
    again = standing_of(in_parts(TEAMS, chance, cooperative=True), cooperative=True)
    assert repr(again) == repr(once)
    assert all(line.mixed_score is not None for line in once.lines)


def test_a_match_or_a_deal_in_both_cannot_be_added() -> None:
    one = count([bout("AB", (1, 2), match="m", deal="d")])
    for other in (
        count([bout("AB", (1, 2), match="m", deal="e")]),
        count([bout("CD", (1, 2), match="n", deal="d")]),
    ):
        with pytest.raises(CountedInBoth, match="count all their rows together"):
            add(one, other)


def test_no_rows_add_nothing() -> None:
    none = add(count([]), count([]))
    assert standing_of(none) == standing([])
    assert none.number_of_deals == 0
