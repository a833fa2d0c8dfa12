"""Tables of any size: who sits there, and the places of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest
from msgspec import structs

from matchbox.lab import places
from matchbox.lab.counts import CountedBout, Counts
from matchbox.lab.plan import Contestant, Plan, Sitting, line_ups, strangers
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
    assert line_ups(a_plan("ab", (4,), 9), 4) == [[0, 1, 0, 1]]
    assert line_ups(a_plan("a", (3,), 9), 3) == [[0, 0, 0]]


def test_where_the_list_does_not_fit_tables_begin_at_every_bot() -> None:
    assert line_ups(a_plan("abc", (2,), 9), 2) == [[0, 1], [1, 2], [2, 0]]
    seats = Counter(bot for table in line_ups(a_plan("abc", (5,), 9), 5) for bot in table)
    assert set(seats.values()) == {5}


@pytest.mark.parametrize(("bots", "size"), [(4, 2), (7, 2), (6, 3), (9, 4), (12, 6)])
def test_of_many_bots_all_meet_and_play_about_equally_often(bots: int, size: int) -> None:
    plan = a_plan("abcdefghijkl"[:bots], (size,), 600)
    tables = line_ups(plan, size)
    assert tables == line_ups(plan, size)
    assert all(len(set(table)) == size for table in tables)
    seats = Counter(bot for table in tables for bot in table)
    assert len(seats) == bots
    assert max(seats.values()) - min(seats.values()) <= 1
    assert strangers(plan, size) == 0
    assert (line_ups(replace(plan, seed="another"), size) == tables) is (size == 2)


def test_a_few_games_are_played_at_a_few_tables_in_every_rotation() -> None:
    plan = a_plan("abcdefghi", (3,), 9)
    assert len(line_ups(plan, 3)) == 3
    assert strangers(plan, 3) == 36 - 9
    assert [len(one.rotations) for one in places.sittings(plan)] == [3, 3, 3]
    assert strangers(a_plan("abcd", (2,), 4), 2) == 2


@pytest.mark.parametrize("games", [20, 45, 100])
def test_games_that_are_left_over_favour_nobody(games: int) -> None:
    plan = a_plan("abcdefghij", (2,), games)
    seats, firsts = Counter[int](), Counter[int]()
    for sitting in places.sittings(plan):
        for rotation in sitting.rotations:
            order = sitting.bots[rotation:] + sitting.bots[:rotation]
            firsts[order[0]] += len(sitting.job.deals)
            seats.update({bot: len(sitting.job.deals) for bot in order})
    for counts, most in ((seats, 1), (firsts, 2)):
        assert max(counts.values()) - min(counts[bot] for bot in range(10)) <= most


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


@pytest.mark.parametrize(
    ("bots", "size", "lucky"),
    [
        ("abc", 3, "seat"),  # Each bot has the lucky seat of a deal once.
        ("abc", 3, "bot"),  # One bot is lucky in all games of a deal.
        ("ab", 4, "seat"),  # Each bot holds two seats of a game.
        ("abc", 5, "bot"),  # Some bots hold two seats, others one.
    ],
)
def test_95_of_100_intervals_hold_the_true_share_though_games_depend_on_each_other(
    bots: str, size: int, lucky: str
) -> None:
    """The luck of a deal decides three of four games; the others are decided by lot."""
    drawn, plan = Random(1), a_plan(bots, (size,), 120)
    jobs = [(sitting, counts_of(sitting)) for sitting in places.sittings(plan)]

    def by_luck(sitting: Sitting, counts: Counts) -> Counts:
        luck = [drawn.randrange(size) for _ in sitting.job.deals]
        bouts = []
        for deal, bout in zip(counts.deals, counts.bouts, strict=True):
            seat = bout.entrants.index(luck[deal]) if lucky == "bot" else luck[deal]
            first = seat if drawn.random() < 0.75 else drawn.randrange(size)
            won = tuple(1 if seat == first else 2 for seat in range(size))
            bouts.append(structs.replace(bout, places=won))
        return Counts(bouts, counts.deals, {})

    held = 0
    for _ in range(250):
        found = places.Places(plan)
        for sitting, counts in jobs:
            found.add(sitting, by_luck(sitting, counts))
        low, high = found.result()["tables"][0]["places"][0]["ci95"]
        held += low <= 1 / size <= high
    assert 0.92 <= held / 250 <= 0.98


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
