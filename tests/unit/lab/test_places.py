"""Tables of any size: who sits there, and the places of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from matchbox.lab import places
from matchbox.lab.counts import CountedBout, Counts
from matchbox.lab.plan import Contestant, Plan, Sitting, line_ups
from matchbox.match.record import entrant


def a_plan(bots: str, sizes: tuple[int, ...], games: int) -> Plan:
    """A plan with one bot for each letter, all different."""
    named = [Contestant(bot, bot * 64) for bot in bots]
    return Plan("skull", "1", named, games, "seed", sizes=sizes)


def counts_of(sitting: Sitting, *, shared: bool = False) -> Counts:
    """The first bot of the list wins and all others are second; with `shared`, all are first."""
    bouts = []
    for _ in sitting.job.deals:
        for rotation in sitting.rotations:
            seats = range(len(sitting.bots))
            entrants = tuple(entrant(seat, rotation, len(seats)) for seat in seats)
            bots = tuple(sitting.bots[one] for one in entrants)
            won = tuple(1 if shared or bot == min(bots) else 2 for bot in bots)
            bouts.append(CountedBout(bots, entrants, won, won, 7, {"rounds": len(seats)}))
    deals = [deal for deal in range(len(sitting.job.deals)) for _ in sitting.rotations]
    return Counts(bouts, deals, {})


def played(plan: Plan, *, shared: bool = False) -> places.Places:
    """The whole plan."""
    found = places.Places(plan)
    for sitting in places.sittings(plan):
        found.add(sitting, counts_of(sitting, shared=shared))
    return found


def test_seats_are_filled_from_the_list_in_turn() -> None:
    assert line_ups(2, 4) == [[0, 1, 0, 1]]
    assert line_ups(1, 3) == [[0, 0, 0]]


def test_where_the_list_does_not_fit_tables_begin_at_every_bot() -> None:
    assert line_ups(3, 2) == [[0, 1], [1, 2], [2, 0]]
    seats = Counter(bot for table in line_ups(3, 5) for bot in table)
    assert set(seats.values()) == {5}


def test_every_table_size_plays_exactly_so_many_games() -> None:
    found = played(a_plan("abc", (2, 3, 5), 31)).result()["tables"]
    assert [(table["players"], table["games"]) for table in found] == [(2, 31), (3, 31), (5, 31)]


def test_no_two_tables_play_the_same_deal() -> None:
    for size, tables in ((2, 3), (5, 3), (3, 1)):
        deals: dict[tuple[int, ...], set[str]] = {}
        for sitting in places.sittings(a_plan("abc", (size,), 40)):
            deals.setdefault(sitting.bots, set()).update(sitting.job.deals)
        assert len(deals) == tables
        assert len(set.union(*deals.values())) == sum(map(len, deals.values()))


def test_places_are_counted_by_listed_bot() -> None:
    (table,) = played(a_plan("abc", (3,), 30)).result()["tables"]
    first, second, _ = table["places"]
    assert (first["bot"], first["games"], first["counts"]) == ("a", 30, [30, 0, 0])
    assert (second["first_share"], second["mean_place"]) == (0.0, 2.0)
    assert first["ci95"][0] < 1.0 == first["ci95"][1]


def test_a_shared_first_place_is_a_part_of_a_win() -> None:
    (table,) = played(a_plan("ab", (2,), 10), shared=True).result()["tables"]
    assert [one["first_share"] for one in table["places"]] == [0.5, 0.5]
    assert [one["counts"] for one in table["places"]] == [[10, 0], [10, 0]]


def test_what_the_game_tells_stands_in_the_table() -> None:
    for table in played(a_plan("ab", (2, 4), 10)).result()["tables"]:
        facts: Mapping[str, object] = table
        assert facts["mean_rounds"] == table["players"]
        assert table["mean_moves"] == 7.0


def test_the_file_has_a_line_of_names_and_a_row_per_size_and_bot() -> None:
    found = played(a_plan("ab", (2, 4), 10))
    names, *rows = found.lines()
    assert tuple(names) == places.COLUMNS
    assert [list(row)[:2] for row in rows] == [[2, "a"], [2, "b"], [4, "a"], [4, "b"]]
    assert found.histogram() == {"2 players": {7: 10}, "4 players": {7: 10}}
