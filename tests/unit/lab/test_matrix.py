"""The matrix: the jobs of a plan, and the sums of their records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from matchbox import registry
from matchbox.lab import matrix, result_rows
from matchbox.lab.counts import Counts, count
from matchbox.lab.plan import FIRST_DEALS, Contestant, Plan, Sitting
from matchbox.lab.statistics import wilson
from matchbox.match.record import Bout, Record
from matchbox.match.wire import Note

BOMB = registry.game("bomb")


def a_plan(bots: int = 2, games: int = 3, *, mirror: bool = False) -> Plan:
    """A plan between bots called a, b, c."""
    named = [Contestant("abc"[bot], "abc"[bot] * 64) for bot in range(bots)]
    return Plan("bomb", "1", named, games, "seed", mirror=mirror)


def a_record(sitting: Sitting, winners: Sequence[Sequence[int]]) -> Record:
    """A record of the sitting; `winners` are, for each deal, the entrant that won each rotation."""
    bouts = []
    for deal, by_rotation in enumerate(winners):
        for rotation, winner in enumerate(by_rotation):
            seat = (winner - rotation) % 2
            places = [1, 1] if winner < 0 else [1 + (seat != 0), 1 + (seat != 1)]
            bouts.append(Bout(deal, rotation, ["draw"] * 4, places, [0, 0], "explosion"))
    job = sitting.job
    seats = [seat.version for seat in job.seats]
    return Record("m", "bomb", "1", {}, job.deals, seats, job.width, bouts)


def played(plan: Plan, winners: Sequence[Sequence[int]]) -> list[tuple[Sitting, Counts]]:
    """Every sitting of the plan with the same winners."""
    return [
        (sitting, count(BOMB, sitting, a_record(sitting, winners), []))
        for sitting in matrix.sittings(plan)
    ]


def gathered(plan: Plan, sittings: Sequence[tuple[Sitting, Counts]]) -> matrix.Matrix:
    """Returns the matrix of these sittings."""
    found = matrix.Matrix(plan)
    for sitting, counts in sittings:
        found.add(sitting, counts)
    return found


def test_every_pair_plays_the_same_deals_in_both_orders() -> None:
    sittings = list(matrix.sittings(a_plan(3)))
    assert [one.bots for one in sittings] == [(0, 1), (0, 2), (1, 2)]
    assert {tuple(one.job.deals) for one in sittings} == {tuple(sittings[0].job.deals)}
    assert {one.rotations for one in sittings} == {(0, 1)}


def test_a_mirror_game_is_played_in_one_order_only() -> None:
    sittings = list(matrix.sittings(a_plan(2, mirror=True)))
    assert [(*one.bots, one.rotations) for one in sittings] == [
        (0, 0, (0,)),
        (0, 1, (0, 1)),
        (1, 1, (0,)),
    ]


def test_the_batches_hold_every_deal_once() -> None:
    sittings = list(matrix.sittings(a_plan(games=FIRST_DEALS + 1)))
    assert [len(one.job.deals) for one in sittings] == [FIRST_DEALS, 1]
    deals = [deal for one in sittings for deal in one.job.deals]
    assert len(set(deals)) == len(deals) == FIRST_DEALS + 1


def test_another_seed_deals_other_cards_and_the_same_seed_the_same() -> None:
    first = next(matrix.sittings(a_plan()))
    assert next(matrix.sittings(a_plan())).job == first.job
    other = Plan("bomb", "1", a_plan().bots, 3, "another")
    assert next(matrix.sittings(other)).job.deals != first.job.deals


def test_a_third_bot_changes_nothing_for_the_first_two() -> None:
    assert next(matrix.sittings(a_plan(3))).job == next(matrix.sittings(a_plan(2))).job


def test_it_counts_for_who_moves_first() -> None:
    plan = a_plan()
    found = gathered(plan, played(plan, [(0, 0), (0, 1), (0, 0)])).result()
    first, second = found["pairs"]
    assert (first["first"], first["second"]) == ("a", "b")
    assert (first["games"], first["first_wins"], first["second_wins"]) == (3, 3, 0)
    assert (second["first"], second["first_wins"], second["second_wins"]) == ("b", 1, 2)
    assert second["first_share"] == pytest.approx(1 / 3, abs=1e-6)
    assert first["mean_turns"] == 4.0


def test_a_pair_has_a_share_over_both_orders_and_a_deal_is_one_observation() -> None:
    plan = a_plan()
    both = gathered(plan, played(plan, [(0, 0), (0, 1), (-1, 0)])).result()["both_orders"]
    assert [(row["bot"], row["other"], row["games"]) for row in both] == [("a", "b", 6)]
    assert both[0]["share"] == pytest.approx((1 + 0.5 + 0.75) / 3, abs=1e-6)
    assert both[0]["ci95"] == pytest.approx(wilson(0.75, 3, variance=0.0625), abs=1e-6)


def test_bouts_that_are_alike_are_counted_as_one_kind() -> None:
    (sitting,) = matrix.sittings(a_plan(games=5))
    counts = count(BOMB, sitting, a_record(sitting, [(0, 1)] * 4 + [(-1, 1)]), [])
    assert sorted(times for _, times in counts.kinds()) == [1, 4, 5]
    assert len(set(map(id, counts.bouts))) == 3
    assert counts.deals == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_a_draw_is_half_a_win() -> None:
    plan = a_plan(games=2)
    found = gathered(plan, played(plan, [(-1, -1), (-1, -1)])).result()
    assert [pair["first_share"] for pair in found["pairs"]] == [0.5, 0.5]
    assert [pair["draws"] for pair in found["pairs"]] == [2, 2]
    assert [total["share"] for total in found["totals"]] == [0.5, 0.5]


def test_the_totals_add_up_over_all_opponents() -> None:
    plan = a_plan(3)
    found = gathered(plan, played(plan, [(0, 0)] * 3)).result()
    assert [total["share"] for total in found["totals"]] == [1.0, 0.5, 0.0]
    assert found["totals"][0]["ci95"] == pytest.approx(wilson(1.0, 3), abs=1e-6)


def test_pairs_come_on_side_by_side() -> None:
    sittings = matrix.sittings(a_plan(3, games=FIRST_DEALS + 1))
    assert [(one.bots, one.games) for one in sittings] == [
        *((who, 2 * FIRST_DEALS) for who in [(0, 1), (0, 2), (1, 2)]),
        *((who, 2) for who in [(0, 1), (0, 2), (1, 2)]),
    ]


def test_a_total_is_told_once_all_others_were_met_and_its_interval_shrinks() -> None:
    plan = a_plan(3, games=2 * FIRST_DEALS)
    found, told = matrix.Matrix(plan), []
    for sitting, counts in played(plan, [(0, 0), (0, 1)] * (FIRST_DEALS // 2)):
        found.add(sitting, counts)
        told.append({total["bot"]: total for total in found.result()["totals"]})
    assert [list(totals) for totals in told] == [[], ["a"], *[["a", "b", "c"]] * 4]
    shares = [totals["a"]["share"] for totals in told[1:]]
    widths = [totals["a"]["ci95"][1] - totals["a"]["ci95"][0] for totals in told[1:]]
    assert shares == [0.75] * 5
    assert widths[0] == widths[2] > widths[3] == widths[4] > 0


def test_mirror_games_are_in_no_total() -> None:
    plan = a_plan(mirror=True)
    sittings: list[tuple[Sitting, Counts]] = []
    for sitting in matrix.sittings(plan):
        winners: Any = [(0, 0)] * 3 if sitting.bots[0] != sitting.bots[1] else [(1,)] * 3
        sittings.append((sitting, count(BOMB, sitting, a_record(sitting, winners), [])))
    found = gathered(plan, sittings).result()
    assert [total["share"] for total in found["totals"]] == [1.0, 0.0]
    own = [pair for pair in found["pairs"] if pair["first"] == pair["second"]]
    assert [(pair["games"], pair["second_wins"]) for pair in own] == [(3, 3), (3, 3)]


def test_a_bot_alone_with_itself_has_half_of_the_points() -> None:
    plan = a_plan(1, mirror=True)
    found = gathered(plan, played(plan, [(0,)] * 3)).result()
    assert found["totals"] == [{"bot": "a", "share": 0.5, "ci95": [0.5, 0.5]}]


def test_faults_are_counted_by_bot_kind_and_detail() -> None:
    plan = a_plan()
    (sitting,) = matrix.sittings(plan)
    notes = [Note(1, deal, 0, "crash", "ZeroDivisionError") for deal in (0, 1)]
    counted = count(BOMB, sitting, a_record(sitting, [(0, 0)] * 3), notes)
    found = gathered(plan, [(sitting, counted)]).result()
    assert found["faults"] == [
        {"bot": "b", "kind": "crash", "games": 2, "detail": "ZeroDivisionError", "place": ""}
    ]


def test_the_file_has_a_line_of_names_and_one_per_pair() -> None:
    plan = a_plan(games=1)
    lines = result_rows.tsv(gathered(plan, played(plan, [(0, 0)])).lines()).splitlines()
    assert lines[0].split("\t") == list(matrix.COLUMNS)
    assert lines[1].split("\t")[:7] == ["a", "b", "1", "1", "0", "0", "1.0"]
    assert len(lines) == 3


def test_it_keeps_how_long_the_games_were() -> None:
    plan = a_plan()
    spread = gathered(plan, played(plan, [(0, 0)] * 3)).histogram()
    assert spread == {"a v b": {4: 3}, "b v a": {4: 3}}
