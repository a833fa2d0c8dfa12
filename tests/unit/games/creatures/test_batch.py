"""Rows of moves in a batch. tests/contract/test_every_batch.py sends one move at a time."""

from __future__ import annotations

import random
from typing import Any

import pytest

from matchbox.dice import SeededDice, derive_deals
from matchbox.games.creatures import plan
from matchbox.games.creatures.codec import TURN, write, write_compiled
from matchbox.games.creatures.rules import GAME
from matchbox.games.creatures.state import NOBODY
from matchbox.match.bout import LiveBout
from tests.fakes import LeastDice


def a_row(lot: random.Random, state: Any, seat: int) -> Any:
    """Returns random moves, as many as the seat can make before it must see their effect."""
    if state.attacker != NOBODY:
        return lot.choice(GAME.legal(state, seat))
    state, row = state.copy(), []
    while list(GAME.to_move(state)) == [seat] and lot.random() < 0.9:
        row.append(lot.choice(GAME.legal(state, seat)))
        GAME.apply(state, seat, row[-1], LeastDice())
    return tuple(row) or "done"


class Duel:
    """A bout in a batch, and the same bout by the functions of a state."""

    def __init__(self, seed: int) -> None:
        [deal] = derive_deals(f"duel {seed}", 1)
        self.lot = random.Random(seed)
        self.batch: Any = GAME.batch(2, {})
        self.batch.start(0, SeededDice(bytes.fromhex(deal), 0), ["a", "b"])
        self.live = LiveBout(GAME, deal, (0, 0), 2, {})
        self.answers: list[Any] = []

    def asked(self) -> int:
        """Returns the seat that owes an answer; checks that both agree."""
        [seat] = self.live.owing
        [(_, position, _)] = self.batch.ask(seat)
        assert position == self.live.next_view(seat)
        return seat

    def answer(self, row: Any = None) -> list[Any]:
        """Answers in both; returns the batch's result."""
        seat = self.asked()
        row = a_row(self.lot, self.live.state, seat) if row is None else row
        back: list[Any] = self.batch.take(seat, [row])
        if not back:
            self.live.take(seat, row)
            self.answers.append(row[0] if type(row) is tuple and len(row) == 1 else row)
        return back


@pytest.mark.parametrize("seed", range(20))
def test_a_row_is_what_its_moves_are_one_by_one(seed: int) -> None:
    duel = Duel(seed)
    while not duel.live.over:
        assert duel.answer() == []
    [(bout, moves, outcome)] = duel.batch.over()
    made = duel.live.result()
    assert (bout, moves) == (0, made.moves)
    assert (list(outcome.places), outcome.why) == (made.places, made.why)


@pytest.mark.parametrize(
    "last",
    [
        ("done", "land"),
        ("done", "nonsense"),
        (["tap", 0],),
        (["tap", True],),
        (["summon", "Land"],),
        (["summon", "Bear"],),
        (["attack", 1],),
        (["attack", -1],),
        (["land", None],),
        (["block", 1],),
        ("pass",),
    ],
)
def test_a_row_with_a_move_that_is_none_is_given_back_and_so_is_all_before(last: Any) -> None:
    duel = Duel(1)
    for _ in range(3):
        duel.answer(("done",))
    rows = list(duel.answers)
    seat = duel.asked()
    land = () if b"\x01" not in duel.live.state.sides[seat].hand else ("land",)
    assert duel.answer((*land, *last)) == [(0, rows, {seat: (*land, *last)})]
    assert duel.batch.leave() == []


def test_bouts_come_back_with_the_rows_that_were_answered() -> None:
    duel = Duel(2)
    while sum(type(answer) is tuple for answer in duel.answers) < 4:
        duel.answer()
    assert duel.batch.leave() == [(0, duel.answers, {})]


def test_moves_after_the_end_are_nobodys() -> None:
    duel = Duel(3)
    while len(duel.live.state.sides[0].deck) + len(duel.live.state.sides[1].deck):
        duel.answer("done")
    assert duel.answer(("done", "done")) == []
    assert duel.live.over
    assert not duel.live.faults
    [(bout, moves, outcome)] = duel.batch.over()
    assert (bout, moves) == (0, duel.live.moves)
    assert outcome.why == duel.live.result().why


@pytest.mark.parametrize("seed", range(3))
def test_a_brief_byte_by_byte_is_the_brief_as_it_is_joined(seed: int) -> None:
    duel = Duel(seed)
    while not duel.live.over:
        for own, other in (duel.live.state.sides, duel.live.state.sides[::-1]):
            if min(own.life, other.life) >= 0:
                position = TURN, 1, duel.live.state.turn, 3, own, other
                assert write_compiled(*position) == write(*position)
        duel.answer()


def test_a_row_that_is_said_again_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "_MAX_CACHED", 2)
    plan.PLANS.clear()
    rows = [(["attack", 1], ["attack", number], "done") for number in range(1, 4)]
    plans = [plan.plan_of(row) for row in rows]
    assert [one.answer for one in plan.PLANS.values()] == rows[2:]
    assert plans[2].stages == [(0, 0, 0, [1, 3], plan.DONE, 0)]
    assert plans[2].moves[0] is plans[0].moves[0]


def test_what_comes_in_the_order_of_most_turns_is_one_stage() -> None:
    summon, attack = ["summon", "Knight"], ["attack", 2]
    made = plan.plan_of(("land", ["tap", 3], summon, attack, ["attack", 1], "done"))
    assert made.stages == [(1, 3, 3, [2, 1], plan.DONE, 3)]
    made = plan.plan_of((attack, "land", "land", summon, summon, "done", "pass", "done"))
    assert [stage[:5] for stage in made.stages] == [
        (0, 0, 0, [2], 0),
        (1, 0, 0, [], 0),
        (1, 0, 3, [], 0),
        (0, 0, 3, [], plan.DONE),
        (0, 0, 0, [], plan.NO_MOVE),
        (0, 0, 0, [], plan.DONE),
    ]
    assert [stage[5] for stage in made.stages] == [0, 1, 3, 5, 6, 7]


@pytest.mark.parametrize("row", [("land",) * 51, ("land", "x" * 1000), (["attack", 300],)])
def test_what_a_seat_can_make_long_is_not_kept(row: Any) -> None:
    plan.PLANS.clear()
    assert plan.plan_of(row).moves == row
    assert not plan.PLANS
