"""The generic batch plays the same bouts as one at a time, faults and rows included."""

from __future__ import annotations

from functools import partial
from typing import Any
from zlib import crc32

import pytest

from matchbox import registry
from matchbox.dice import SeededDice, derive_deals
from matchbox.errors import SeatFault
from matchbox.game import Outcome, Spec
from matchbox.match.batch import RulesBatch, batch_of
from matchbox.match.frames import Answer
from matchbox.match.referee import Played
from tests.builders import a_job, play_scripted, without_batches
from tests.fakes import Auction, Race

DEALS = 12
ANSWERS: tuple[Answer, ...] = (1, 2, 3, 1, 2, (2,), (1, 2), 7, "x", True, SeatFault("crash", "x"))


class Wordy(Auction):
    """The auction with a sentence for a refused bid."""

    def refusal(self, state: Any, seat: int, move: Any) -> str:
        """Refuses every bid but 1 and 2."""
        return "" if type(move) is int and move in (1, 2) else "only 1 and 2"


class Coded(Auction):
    """The auction with bids as objects."""

    def legal(self, state: Any, seat: int) -> list[Any]:
        return [{"bid": bid, "by": seat} for bid in range(10)]

    def apply(self, state: Any, seat: int, move: Any, dice: Any) -> Any:
        return super().apply(state, seat, move["bid"], dice)


def mostly_legal(salt: int, view: Any) -> Answer:
    """Returns an answer that depends on the view alone; one in eight may be no legal move."""
    told = crc32(f"{salt} {view}".encode())
    return ANSWERS[told // 8 % len(ANSWERS)] if told % 8 == 0 else 1 + told % 2


def legal(view: Any) -> Answer:
    """Returns a move that is legal in the auction and in the race."""
    return 1 + len(str(view)) % 2


def match(game: Any, seats: int, width: int, decide: Any) -> Played:
    job = a_job(game, seats=seats, deals=DEALS, width=width)
    return play_scripted(game, job, dict.fromkeys(range(seats), decide))[0]


def test_a_move_is_legal_in_whatever_order_its_keys_are() -> None:
    job = a_job(Coded(), deals=1)
    decide = {
        0: lambda view: {"bid": 3, "by": view["seat"]},
        1: lambda view: {"by": view["seat"], "bid": 4},
    }
    for bout in play_scripted(Coded(), job, decide)[0].record.bouts:
        assert (bout.why, bout.faults) == ("three bids", [])


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("game", [Race(), Auction(), Wordy()], ids=["race", "auction", "wordy"])
def test_it_plays_what_the_bouts_play_one_by_one(game: Any, seats: int) -> None:
    faults = 0
    for salt in range(12):
        decide = partial(mostly_legal, salt)
        with without_batches():
            wanted = match(game, seats, 1, decide)
        faults += sum(bool(bout.faults) for bout in wanted.record.bouts)
        for width in (1, 7, DEALS):
            played = match(game, seats, width, decide)
            assert (played.record.bouts, played.notes) == (wanted.record.bouts, wanted.notes)
    assert 0 < faults < 12 * DEALS * seats


def test_a_game_without_hooks_is_played_in_it() -> None:
    assert isinstance(batch_of(Race(), 2, {}), RulesBatch)
    assert isinstance(batch_of(registry.game("war"), 2, {"play": "dealt"}), RulesBatch)
    assert not isinstance(batch_of(registry.game("creatures"), 2, {}), RulesBatch)


def test_a_row_that_is_legal_is_several_moves_and_goes_back_as_one_answer() -> None:
    class Alone(Race):
        """A race in which the same seat always moves again."""

        def _after(self, state: dict[str, Any], seat: int) -> int:
            return seat

    batch: Any = RulesBatch(Alone(), 2, {})
    for bout, deal in enumerate(derive_deals("a row", 2)):
        batch.start(bout, SeededDice(bytes.fromhex(deal), 0), ["00", "01"])
    assert [seed for *_, seed in batch.ask(0)] == ["00", "00"]
    assert batch.take(0, [(1, 2), 3]) == []
    assert batch.take(0, [(3, 3, 3, 3, 3, 3, 3), (1, 1)]) == [(0, [(1, 2)], {0: (3,) * 7})]
    assert [(told["sum"], seed) for _, told, seed in batch.ask(0)] == [(5, None)]
    assert batch.leave() == [(1, [3, (1, 1)], {})]
    assert not batch.ask(0)


def test_the_end_has_every_move_of_a_row() -> None:
    def rows(view: Any) -> Answer:
        return (2,)

    played = match(Race(), 2, 5, rows)
    assert all(set(bout.moves) == {2} and not bout.faults for bout in played.record.bouts)


def test_a_bout_that_does_not_end_is_the_platforms_fault() -> None:
    endless = Race(Spec("race", "Race", (2, 3), "1", max_steps=3))
    with pytest.raises(SeatFault, match="a bout of race does not end"):
        match(endless, 2, 4, legal)


class Ending(Race):
    """The race with an outcome of its own."""

    def __init__(self, ending: Any) -> None:
        super().__init__()
        self.ending = ending

    def outcome(self, state: Any) -> Any:
        """The given outcome, once the race is over."""
        return super().outcome(state) and self.ending


def illegal_at_first(view: Any) -> Answer:
    """Returns an illegal move for the first seat, so that bouts are played without the batch."""
    return legal(view) if view["seat"] else 7


@pytest.mark.parametrize(
    "ending",
    [
        Outcome((1, 2), (1,), "goal"),
        Outcome((1,), (1, 0), "goal"),
        Outcome((2, 2), (0, 0), "both lost"),
        Outcome((0, 1), (1, 0), "goal"),
        Outcome((1, 3), (1, 0), "goal"),
        Outcome((1, 2), (1.5, 0), "goal"),  # type: ignore[arg-type]
        Outcome((1, 2), (float("nan"), 0), "goal"),  # type: ignore[arg-type]
        Outcome((1, 2), (True, False), "goal"),
        Outcome((1, 2), (1, 0), None),  # type: ignore[arg-type]
    ],
)
def test_an_outcome_that_cannot_be_is_the_platforms_fault(ending: Outcome) -> None:
    with pytest.raises(SeatFault, match="a bout of race ended with places") as fault:
        match(Ending(ending), 2, 4, legal)
    assert fault.value.kind == "platform"


@pytest.mark.parametrize("ending", [None, {"places": [1, 2]}, (1, 2)])
def test_a_bout_without_an_outcome_is_the_platforms_fault(ending: Any) -> None:
    wrong = (
        r"a bout of race is over and has no outcome: outcome returned .* a matchbox.game.Outcome"
    )
    for seats, decide in ((2, legal), (3, illegal_at_first)):
        with pytest.raises(SeatFault, match=wrong):
            match(Ending(ending), seats, 4, decide)


def test_a_game_that_says_nothing_of_its_movers_at_the_end_is_the_platforms_fault() -> None:
    class Silent(Race):
        def to_move(self, state: Any) -> Any:
            return super().to_move(state) or None

    for seats, decide in ((2, legal), (3, illegal_at_first)):
        with pytest.raises(SeatFault, match=r"to_move returned None, and must return a tuple"):
            match(Silent(), seats, 4, decide)


WRONG = r"to_move of race returned .* at a table of \d, and must return a tuple of different seats"


@pytest.mark.parametrize(
    "movers",
    [(0, 0), (1, 0), (0, 9), (9,), (-2,), (-1, 0), (None,), ("0",), {0}, {0, 1}, 1, iter((0,))],
)
def test_movers_that_cannot_be_are_the_platforms_fault(movers: Any) -> None:
    class Wrong(Race):
        def to_move(self, state: Any) -> Any:
            return movers if state["sum"] == 2 else super().to_move(state)

    for seats, decide in ((2, lambda view: 2), (3, lambda view: 2 if view["seat"] else 7)):
        with pytest.raises(SeatFault, match=WRONG) as fault:
            match(Wrong(), seats, 4, decide)
        assert fault.value.kind == "platform"
