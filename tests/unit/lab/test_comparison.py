"""A comparison batch by batch: its games, its end, and how often it is right."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from math import log
from random import Random
from typing import Any

import pytest

from matchbox.lab.comparison import Comparison
from matchbox.lab.counts import CountedBout, Counts
from matchbox.lab.plan import Contestant, Plan, Sitting
from matchbox.league.estimate import estimate
from matchbox.league.sprt import Trial
from matchbox.match.record import entrant

NAMES = ("new", "old", "x", "y", "z")


def begin(
    bots: int, games: int, *, size: int = 2, deals: int = 20, cooperative: bool = False
) -> Comparison:
    """A comparison of the first `bots` bots of the cast."""
    cast = [Contestant(name, name[0] * 64) for name in NAMES[:bots]]
    plan = Plan("bomb", "1", cast, games, "seed", sizes=[size])
    return Comparison(plan, Trial(), deals, cooperative=cooperative)


def played(sitting: Sitting, strengths: Sequence[float], dice: Random) -> Counts:
    """Returns the counts of the sitting if bots of these strengths, in Elo, play it."""
    seats = range(len(sitting.bots))
    bouts = []
    for _ in sitting.job.deals:
        for rotation in sitting.rotations:
            table = tuple(entrant(seat, rotation, len(seats)) for seat in seats)
            bots = tuple(sitting.bots[one] for one in table)
            luck = [strengths[bot] * 0.0057565 - _gumbel(dice) for bot in bots]
            places = tuple(1 + sum(other > mine for other in luck) for mine in luck)
            bouts.append(CountedBout(bots, table, places, tuple(map(round, luck)), 1))
    deals = [deal for deal in range(len(sitting.job.deals)) for _ in sitting.rotations]
    return Counts(bouts, deals, {})


def _gumbel(dice: Random) -> float:
    return log(-log(dice.random()))


def run(asked: Comparison, strengths: Sequence[float], seed: int = 1) -> int:
    """Plays to the end; returns the number of looks."""
    dice = Random(seed)
    for number, look in enumerate(asked.batches(), 1):
        asked.add([(job, played(job, strengths, dice)) for job in look])
        if asked.over:
            return number
    raise AssertionError("it did not end")


@pytest.mark.parametrize(("elo", "verdict"), [(90, "better"), (-60, "not-better")])
def test_a_known_strength_gets_its_verdict_in_most_trials(elo: float, verdict: str) -> None:
    found: list[Any] = []
    for seed in range(12):
        asked = begin(2, 4000)
        run(asked, [elo, 0], seed)
        found.append(asked.result())
    assert [one["verdict"] for one in found].count(verdict) >= 11
    assert all(one["games"] % 40 == 0 and one["games"] < 4000 for one in found)
    assert sum(one["ci95"][0] <= elo <= one["ci95"][1] for one in found) >= 10


def test_it_ends_at_its_most_games_with_an_estimate_and_no_verdict() -> None:
    asked = begin(2, 45)
    assert (asked.most, run(asked, [0, 0])) == (44, 2)
    told: Any = asked.result()
    assert (told["verdict"], told["games"], sum(told["pairs"])) == ("undecided", 44, 22)
    assert told["ci95"][0] < told["elo"] < told["ci95"][1]
    own = estimate(Trial(max_bouts=44), told["pairs"], looks=2)
    assert own is not None
    assert told["elo"] == round(own.elo, 2)
    assert "llr" in asked.progress_text()


def test_both_meet_the_same_field_on_the_same_deals_in_every_seat() -> None:
    asked = begin(5, 240, size=3, deals=7)
    looks = list(asked.batches())
    assert [sum(job.games for job in look) for look in looks] == [18 * 7, 18 * 6]
    for look in looks:
        tables = {job.bots: (tuple(job.job.deals), job.rotations) for job in look}
        for (version, *others), same in tables.items():
            assert tables[(1 - version, *others)] == same
            assert same[1] == (0, 1, 2)
    assert run(asked, [300, 0, 0, 0, 0]) == 2
    told: Any = asked.result()
    assert (told["verdict"], told["field"], told["players"]) == ("better", ["x", "y", "z"], 3)
    assert (told["games"], told["deals"], told["llr"]) == (234, 13, None)
    assert told["difference_ci95"][0] <= told["difference"] <= told["difference_ci95"][1]


def test_classes_and_copies_of_one_file_are_bots_of_their_own() -> None:
    cast = [Contestant(name, "f" * 64, name) for name in ("A", "B")]
    cast += [Contestant(name, "x" * 64) for name in ("x", "x-2")]
    plan = Plan("bomb", "1", cast, 80, "seed", sizes=[2])
    asked = Comparison(plan, Trial(), 20, cooperative=False)
    run(asked, [400, 0, 0, 0])
    told: Any = asked.result()
    assert (told["verdict"], told["games"], told["deals"]) == ("better", 80, 10)
    assert sorted(told["by_opponent"]) == ["x", "x-2"]


def test_teams_play_every_deal_once_each() -> None:
    asked = begin(2, 60, size=4, cooperative=True)
    assert [(job.bots, job.rotations) for job in next(asked.batches())] == [
        ((0, 0, 0, 0), (0,)),
        ((1, 1, 1, 1), (0,)),
    ]
    run(asked, [0, 900])
    told: Any = asked.result()
    assert (told["verdict"], told["deals"], told["by_opponent"]) == ("not-better", 30, {})
    assert asked.progress_text() == "new v old"


@pytest.mark.parametrize(("bots", "games", "size"), [(2, 100, 4), (4, 7, 2)])
def test_it_refuses_tables_it_cannot_fill_and_games_that_make_no_deal(
    bots: int, games: int, size: int
) -> None:
    with pytest.raises(ValueError, match=r"need a field|allow 8 or more"):
        begin(bots, games, size=size)


def test_a_gauntlet_keeps_no_bouts() -> None:
    asked = begin(4, 8000)
    tracemalloc.start()
    try:
        run(asked, [90, 0, 0, 0])
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert asked.games == 8000
    assert kept < 1 << 20
