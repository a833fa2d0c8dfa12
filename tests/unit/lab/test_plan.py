"""The games of a table: an exact number, with every bot equally often in every seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from matchbox.dice import derive_deals
from matchbox.lab.plan import (
    FIRST_DEALS,
    MAX_BOUTS,
    MAX_DEALS,
    MIN_DEALS,
    Contestant,
    Deals,
    Plan,
    interleave,
    rotated,
    sittings_of,
)
from matchbox.match.record import entrant


def a_plan(bots: str) -> Plan:
    """A plan with one bot for each letter; equal letters are equal versions."""
    named = [Contestant(f"{bot}{n}", bot * 64) for n, bot in enumerate(bots)]
    return Plan("skull", "1", named, 0, "seed")


def games_of(bots: str, games: int) -> list[tuple[str, Sequence[int]]]:
    """Returns every game: its deal, and the index of the bot in each seat."""
    who = range(len(bots))
    return [
        (deal, [entrant(seat, rotation, len(bots)) for seat in who])
        for sitting in rotated(a_plan(bots), who, games)
        for deal in sitting.job.deals
        for rotation in sitting.rotations
    ]


def test_deals_are_derived_when_they_are_asked_for() -> None:
    deals = Deals("seed", range(3, 1_000_000_000))
    assert list(deals[2:5]) == derive_deals("seed", 3, start=5)
    assert list(deals[2:7:2]) == derive_deals("seed", 5, start=5)[::2]
    assert (len(deals[5:]), deals[5:][-1]) == (999_999_992, deals[-1])


@pytest.mark.parametrize("bots", ["abc", "aab", "aaa", "abab", "aaaaaa", "a"])
@pytest.mark.parametrize("games", [1, 2, 7, 12, 700])
def test_it_plays_exactly_so_many_games(bots: str, games: int) -> None:
    assert len(games_of(bots, games)) == games


@pytest.mark.parametrize("bots", ["abc", "aab", "aaa", "abab", "aaaaaa"])
def test_everybody_sits_everywhere_equally_often(bots: str) -> None:
    seats = Counter(
        (seat, who) for _, table in games_of(bots, 60) for seat, who in enumerate(table)
    )
    assert set(seats.values()) == {60 // len(bots)}


@pytest.mark.parametrize("bots", ["abc", "aab", "aaa", "abab", "aaaaaa"])
def test_no_game_is_played_twice(bots: str) -> None:
    games = [(deal, "".join(bots[who] for who in table)) for deal, table in games_of(bots, 61)]
    assert len(set(games)) == len(games)


def test_a_bots_time_grows_with_the_deals_of_a_job() -> None:
    plan = replace(a_plan("ab"), limits={"bank_ms": 700, "cpu_ms": 50}, match_deals=2)
    sittings = list(sittings_of(plan, (0, 1), ["a" * 32] * (MIN_DEALS + 1), (0, 1)))
    banks = [sitting.job.limits for sitting in sittings]
    assert banks[0] == {"bank_ms": 700 * FIRST_DEALS // 2, "cpu_ms": 50}
    assert banks[2] == plan.limits
    as_they_are = sittings_of(replace(plan, match_deals=0), (0, 1), ["a" * 32] * MIN_DEALS, (0, 1))
    assert next(as_they_are).job.limits == plan.limits


def test_bots_that_differ_play_a_deal_in_every_rotation() -> None:
    deals = Counter(deal for deal, _ in games_of("abc", 30))
    assert set(deals.values()) == {3}


def test_a_job_has_as_many_deals_as_all_before_it_within_bounds() -> None:
    sizes = [len(sitting.job.deals) for sitting in rotated(a_plan("ab"), (0, 1), 2 * 4 * MAX_DEALS)]
    assert sizes == [50, 200, 250, 500, 1000, *[MAX_DEALS] * 3]


def test_a_job_of_a_large_table_holds_no_more_bouts_than_one_of_a_pair() -> None:
    jobs = list(sittings_of(a_plan("abcdef"), range(6), ["a" * 32] * 5000, range(6)))
    assert sum(len(one.job.deals) for one in jobs) == 5000
    assert max(one.games for one in jobs) == 6 * (MAX_BOUTS // 6) <= MAX_BOUTS


def test_what_is_left_over_is_a_job_of_its_own() -> None:
    sizes = [len(sitting.job.deals) for sitting in rotated(a_plan("ab"), (0, 1), 4 * MIN_DEALS + 3)]
    assert sizes == [FIRST_DEALS, MIN_DEALS - FIRST_DEALS, MIN_DEALS, 1, 1]


@pytest.mark.parametrize(
    ("deals", "expected"),
    [
        (300, [[50, 200, 50]]),
        (1000, [[50, 200, 250, 250, 250]]),
        (6000, [[50, 200, 250, 500, 1000, 2000, 1000, 500, 250, 250]]),
        (1000, [[50, 200, 250, 500], [50, 200, 250, 250, 250]]),
    ],
)
def test_the_last_jobs_of_all_parts_are_smaller_again(
    deals: int, expected: list[list[int]]
) -> None:
    chosen = [f"{number:032x}" for number in range(deals)]
    plan = a_plan("abc")
    parts = [(0, other) for other in range(1, 1 + len(expected))]
    jobs = list(interleave(sittings_of(plan, who, chosen, (0, 1)) for who in parts))
    for who, sizes in zip(parts, expected, strict=True):
        own = [sitting.job.deals for sitting in jobs if sitting.bots == who]
        assert [len(deals) for deals in own] == sizes
        assert [deal for deals in own for deal in deals] == chosen
