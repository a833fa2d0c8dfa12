from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from itertools import combinations, islice
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import Dice, SeededDice
from matchbox.league.pairing import Pairing, pair_key
from matchbox.league.seating import mixed_teams, rounds_at, seat_round, seatings


def dice(step: int = 0) -> Dice:
    return SeededDice(b"tables", step)


def names(n: int) -> list[str]:
    return [f"b{number:02d}" for number in range(n)]


def rounds_of(n: int, seats: int, rounds: int) -> list[tuple[Pairing, ...]]:
    """Returns the first rounds of a season at such tables."""
    return [*islice(seatings(names(n), seats, dice), rounds)]


def meetings(rounds: Sequence[Sequence[Pairing]]) -> Counter[tuple[str, str]]:
    """Returns how often each pair sat together."""
    return Counter(
        pair_key(*two)
        for tables in rounds
        for table in tables
        for two in combinations(sorted(set(table.seats)), 2)
    )


def test_who_fills_no_team_is_told() -> None:
    with pytest.raises(ValueError, match="do not fill a team of 4"):
        mixed_teams(names(3), 4, 1, dice())


@given(st.integers(3, 16), st.data())
def test_everybody_sits_once_a_round_and_never_beside_a_bot_of_its_owner(
    n: int, data: st.DataObject
) -> None:
    owner = {name: data.draw(st.sampled_from("uvwxyz")) for name in names(n)}
    count = ceil(n / 6)
    tables = [(n + place) // count for place in range(count)]
    seated = seat_round(names(n), tables, {}, dice(n), owner=owner)
    sat = Counter(name for table in seated for name in table.seats)
    assert set(sat.values()) <= {1}
    for table in seated:
        assert len({owner[name] for name in table.seats}) == len(table.seats)
    if max(Counter(owner.values()).values()) == 1:
        assert len(sat) == n


@pytest.mark.parametrize(("n", "seats"), [(8, 4), (9, 3), (12, 4), (13, 4), (7, 6)])
def test_in_a_season_all_meet_and_play_about_equally_often(n: int, seats: int) -> None:
    rounds = rounds_of(n, seats, rounds_at(n, seats))
    met_often = meetings(rounds)
    together = [met_often[two] for two in combinations(names(n), 2)]
    assert min(together) >= 1
    assert max(together) - min(together) <= 2
    played = Counter(name for tables in rounds for table in tables for name in table.seats)
    assert max(played.values()) - min(played.values()) <= 1
    assert all(len(table.seats) == seats for tables in rounds for table in tables)


@pytest.mark.parametrize(("n", "seats", "each"), [(18, 6, 2), (12, 3, 3), (24, 4, 3)])
def test_no_table_stays_empty_if_its_seats_can_be_filled(n: int, seats: int, each: int) -> None:
    owner = {name: f"owner {at // each}" for at, name in enumerate(names(n))}
    rounds = islice(seatings(names(n), seats, dice, owner=owner), 20)
    assert [len(tables) for tables in rounds] == [n // seats] * 20


@pytest.mark.parametrize(
    ("own", "others", "seats", "tables"), [(4, 4, 4, 1), (6, 8, 4, 2), (3, 2, 3, 1), (5, 2, 4, 0)]
)
def test_an_owner_of_many_bots_leaves_no_table_unfilled_that_can_be(
    own: int, others: int, seats: int, tables: int
) -> None:
    owner = dict.fromkeys(names(own), "alice")
    rounds = [*islice(seatings(names(own + others), seats, dice, owner=owner), 12)]
    assert {len(one) for one in rounds} == {tables}
    games = Counter(name for one in rounds for table in one for name in table.seats)
    for bots in (names(own), names(own + others)[own:]):
        each = [games[name] for name in bots]
        assert max(each) - min(each) <= 1


def test_the_seatings_of_a_seed_stay_what_they_are() -> None:
    owner = {name: f"owner {at % 9}" for at, name in enumerate(names(30))}
    rounds = islice(seatings(names(30), 4, dice, owner=owner), 12)
    text = json.dumps([[table.seats for table in tables] for tables in rounds])
    assert blake2b(text.encode(), digest_size=8).hexdigest() == "563fc0c1c79157b5"


def test_seatings_go_on_from_what_was_played() -> None:
    first = rounds_of(9, 3, 5)
    played = [table.seats for tables in first[:3] for table in tables]
    rest = seatings(names(9), 3, lambda at: dice(3 + at), played)
    assert [*islice(rest, 2)] == first[3:]


def test_at_tables_of_two_every_round_is_full_and_pairs_are_met_evenly() -> None:
    assert rounds_at(8, 2) == 14
    met_often = meetings(rounds_of(8, 2, 14))
    assert sum(met_often.values()) == 56
    assert max(met_often.values()) <= 4


@given(st.integers(3, 14), st.integers(2, 5), st.integers(1, 6))
def test_mixed_teams_are_full_hold_nobody_twice_and_leave_nobody_out(
    n: int, seats: int, rounds: int
) -> None:
    if n < seats:
        n = seats
    for teams in mixed_teams(names(n), seats, rounds, dice(n)):
        assert all(len(team.seats) == len(set(team.seats)) == seats for team in teams)
        assert {name for team in teams for name in team.seats} == set(names(n))
        assert len(teams) == -(-n // seats)
