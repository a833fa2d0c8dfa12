from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.lab.statistics import mean_interval
from matchbox.league.counts import add, count
from matchbox.league.meetings import count_seats, meetings, seat_share, share_of
from matchbox.league.pairwise import compare
from matchbox.league.rows import Row, points
from tests.unit.league.builders import bout, play_field

FIELD = play_field([0.0, 40.0, 90.0], table=3, deals=6, luck=0.6, seed=3)


def duel(deals: list[tuple[int, int]]) -> list[Row]:
    """A and B on these deals, in both rotations: A's place in each of the two bouts."""
    return [
        bout(seats, places, match="m", deal=f"d{at}", rotation=turn)
        for at, results in enumerate(deals)
        for turn, place in enumerate(results)
        for mine in [(place, 3 - place)]
        for seats, places in [(("A", "B"), mine) if not turn else (("B", "A"), mine[::-1])]
    ]


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.sampled_from([1, 2])), min_size=1))
def test_a_share_has_the_interval_of_its_deals(deals: list[tuple[int, int]]) -> None:
    (found,) = meetings(compare(duel(deals)))
    assert (found.first, found.second) == ("A", "B")
    assert (found.bouts, found.deals) == (2 * len(deals), len(deals))
    share, ends = share_of(*found[2:])
    mean, interval = mean_interval([(4 - one - other) / 2 for one, other in deals])
    assert share == pytest.approx(mean)
    assert ends == pytest.approx(interval, abs=1e-9)


def test_two_bouts_of_one_deal_count_as_one_trial() -> None:
    (swapped,) = meetings(compare(duel([(1, 2), (2, 1)] * 20)))
    (alike,) = meetings(compare(duel([(1, 1), (2, 2)] * 20)))
    assert swapped.variance == 0
    assert alike.variance > 0.25


@pytest.mark.parametrize("seat_term", [False, True])
def test_seats_in_the_comparisons_change_no_meeting(seat_term: bool) -> None:
    assert meetings(compare(FIELD, seat_term=seat_term)) == meetings(compare(FIELD))


def test_every_pair_of_a_larger_table_has_met() -> None:
    found = {(one.first, one.second): one for one in meetings(compare(FIELD))}
    assert set(found) == {("b00", "b01"), ("b00", "b02"), ("b01", "b02")}
    assert all(one.bouts == len(FIELD) for one in found.values())


def test_nobody_has_met_before_the_first_match() -> None:
    assert meetings(compare([])) == []
    assert count_seats([]) == {}


def test_a_seat_takes_what_its_rows_say() -> None:
    tallies = count_seats(FIELD)
    assert sorted(tallies) == [(3, 0), (3, 1), (3, 2)]
    for (_, seat), tally in tallies.items():
        taken = [points(row)[seat] for row in FIELD]
        share, (low, high) = seat_share(3, tally)
        assert share == pytest.approx(sum(taken) / len(taken))
        assert low < share < high
        assert (tally.bouts, tally.deals) == (len(FIELD), 6)


def test_a_seat_that_always_wins_is_sure_only_after_many_deals() -> None:
    few, many = (
        count_seats(bout(("A", "B"), (1, 2), match="m", deal=f"d{at}") for at in range(deals))
        for deals in (3, 300)
    )
    assert seat_share(2, few[2, 0])[1][0] < 0.5
    assert seat_share(2, many[2, 0])[1][0] > 0.9


def test_seats_are_added_up_as_if_counted_at_once() -> None:
    names = sorted({row.deal for row in FIELD})
    parts = [[row for row in FIELD if (row.deal in names[:3]) == first] for first in (True, False)]
    renamed = [
        [Row(f"{row.match}/{at}", row.deal, row.rotation, row.seats, row.places) for row in part]
        for at, part in enumerate(parts)
    ]
    whole = count([row for part in renamed for row in part])
    assert add(count(renamed[0]), count(renamed[1])).seats == whole.seats


def test_a_team_has_no_seats_to_compare() -> None:
    rows = [bout(("a", "a"), (1, 1), match="m", deal="d", scores=(9, 9))]
    assert count(rows, cooperative=True).seats == {}
