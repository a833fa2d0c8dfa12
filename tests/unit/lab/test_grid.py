"""A cooperative grid: its cells, its bands, and the rows of its file."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from matchbox.lab import grid
from matchbox.lab.counts import CountedBout, Counts
from matchbox.lab.plan import FIRST_DEALS, Contestant, Plan, Sitting


def a_plan(games: int = 3, *, mixed: bool = False) -> Plan:
    """Two bots at tables of one and of three."""
    bots = [Contestant("a", "a" * 64), Contestant("b", "b" * 64)]
    return Plan("thegame", "1", bots, games, "seed", sizes=(1, 3), mixed=mixed)


def played(plan: Plan) -> grid.Grid:
    """Returns the grid of the plan with scores of ten times the table size, plus the bot, plus the
    deal."""
    found = grid.Grid(plan)
    for sitting in grid.sittings(plan):
        found.add(sitting, counts_of(sitting))
    return found


def counts_of(sitting: Sitting) -> Counts:
    """Returns scores that say where they are from; the last deal is won."""
    size, last = len(sitting.bots), len(sitting.job.deals) - 1
    bouts = [
        CountedBout(
            bots=sitting.bots,
            entrants=tuple(range(size)),
            places=(1,) * size,
            scores=(10 * size + sitting.bots[0] + deal,) * size,
            turns=5,
            facts={"won": deal == last},
        )
        for deal in range(last + 1)
        for _ in sitting.rotations
    ]
    deals = [deal for deal in range(last + 1) for _ in sitting.rotations]
    return Counts(bouts, deals, {(sitting.bots[0], "crash", "oops"): 1})


def test_every_bot_fills_all_seats_of_every_table_size() -> None:
    assert [sitting.bots for sitting in grid.sittings(a_plan())] == [
        (0,),
        (1,),
        (0, 0, 0),
        (1, 1, 1),
    ]


def test_no_interval_reaches_below_the_least_score() -> None:
    found = grid.Grid(a_plan(3))
    for sitting in grid.sittings(found.plan):
        counts = counts_of(sitting)
        bouts = [replace(bout, scores=(9 * (deal == 2),)) for deal, bout in enumerate(counts.bouts)]
        found.add(sitting, replace(counts, bouts=bouts))
    assert {cell["mean"] for cell in found.result()["cells"]} == {3.0}
    assert {cell["ci95"][0] for cell in found.result()["cells"]} == {0.0}


def test_scores_below_0_keep_their_interval() -> None:
    found = grid.Grid(a_plan(3))
    for sitting in grid.sittings(found.plan):
        counts = counts_of(sitting)
        bouts = [replace(bout, scores=(-2 - deal,)) for deal, bout in enumerate(counts.bouts)]
        found.add(sitting, replace(counts, bouts=bouts))
    for cell in found.result()["cells"]:
        low, high = cell["ci95"]
        assert low < cell["mean"] == -3.0 < high


def test_all_cells_play_the_same_deals() -> None:
    assert len({tuple(sitting.job.deals) for sitting in grid.sittings(a_plan())}) == 1
    long = [len(sitting.job.deals) for sitting in grid.sittings(a_plan(FIRST_DEALS + 1))]
    assert long == [FIRST_DEALS] * 4 + [1] * 4


def test_a_cell_has_its_mean_its_band_its_greatest_and_what_the_game_tells() -> None:
    cells = played(a_plan()).result()["cells"]
    assert [(cell["players"], cell["bot"], cell["games"]) for cell in cells] == [
        (1, "a", 3),
        (1, "b", 3),
        (3, "a", 3),
        (3, "b", 3),
    ]
    assert (cells[3]["mean"], cells[3]["max"]) == (32.0, 33)
    low, high = cells[3]["ci95"]
    assert 29 < low < 31 < 33 < high < 35, "three deals tell little"
    assert cells[3]["won"] == pytest.approx(1 / 3, abs=1e-6)


def test_the_file_has_every_cell_once_and_then_again() -> None:
    lines = list(played(a_plan(2)).lines())
    assert lines[:4] == [(1, "a", 10), (1, "b", 11), (3, "a", 30), (3, "b", 31)]
    assert lines[4:] == [(1, "a", 11), (1, "b", 12), (3, "a", 31), (3, "b", 32)]


def test_mixed_bots_sit_at_tables_together_each_equally_often() -> None:
    plan = a_plan(6, mixed=True)
    seats: dict[int, Counter[int]] = {1: Counter(), 3: Counter()}
    for sitting in grid.sittings(plan):
        games = len(sitting.job.deals) * len(sitting.rotations)
        for bot in sitting.bots:
            seats[len(sitting.bots)][bot] += games
    assert seats == {1: {0: 3, 1: 3}, 3: {0: 9, 1: 9}}
    cells = played(plan).result()["cells"]
    assert [(cell["players"], cell["bot"], cell["games"], cell["deals"]) for cell in cells] == [
        (1, "a + b", 6, 6),
        (3, "a + b", 6, 2),
    ]


def test_it_says_who_was_at_fault_and_how_far_the_games_went() -> None:
    found = played(a_plan())
    assert found.result()["faults"][0] == {
        "bot": "a", "kind": "crash", "games": 2, "detail": "oops", "place": ""
    }  # fmt: skip
    assert found.histogram()["b, 3"] == {31: 1, 32: 1, 33: 1}
    assert list(found.histogram()) == ["a, 1", "a, 3", "b, 1", "b, 3"]
