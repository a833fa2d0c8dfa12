"""A strategy's arguments, the reading of its answer, and the three strategies of the document."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import bench.plain.thegame as plain
from matchbox.errors import IllegalMove
from matchbox.games.thegame import (
    SILENCE,
    LegalMinimalPlayer,
    LegalTrickPlayer,
    Piles,
    Player,
    Table,
    minimal_distance_strategy,
    random_strategy,
    strategies,
    trick_strategy,
)
from matchbox.games.thegame.player import adopt, answer
from matchbox.games.thegame.rules import GAME
from tests.fakes import RandomDice

pytestmark = pytest.mark.usefixtures("own_chance")


def a_view(
    hand: list[int], tops: tuple[int, int, int, int] = (1, 1, 100, 100), **more: Any
) -> dict[str, Any]:
    """Returns seat 0's view at a table of two."""
    starts = (1, 1, 100, 100)
    piles = [[top] if top == one else [one, top] for one, top in zip(starts, tops, strict=True)]
    return {
        "ask": "play", "piles": piles, "hand": hand, "hands": [len(hand), 7], "deck": 9, "seat": 0,
        "mover": 0, "owed": 1, "rules": "article", "hints": [None, None], "last": None, **more,
    }  # fmt: skip


def answered(returned: Any, view: dict[str, Any] | None = None) -> Any:
    """Returns the move that the driver makes of a strategy's return value."""
    player = adopt(lambda game, hand: returned, named=True)
    assert player is not None
    return answer(player(), view or a_view([5, 60]), None)  # type: ignore[arg-type]


def piles(*cards: list[int]) -> Piles:
    assert len(cards) == 4
    return cards


# --- The driver ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "returned, move",
    [
        ((0, 1), [0, 1]),
        ([3, 0], [3, 0]),
        ((np.int64(2), np.uint8(1)), [2, 1]),
        ((-1, 0), "invalid"),
        ((4, 0), "invalid"),
        ((0, -1), "invalid"),
        ((0, 2), "invalid"),
        ((0, 10**30), "invalid"),
    ],
)
def test_a_pair_of_numbers_is_a_play_and_out_of_range_an_invalid_one(
    returned: Any, move: Any
) -> None:
    assert answered(returned) == move


@pytest.mark.parametrize(
    "returned",
    [None, 3, 10**5000, (0,), (0, 1, 2), (True, 0), (0, 1.0), ("0", "1"), "01", {0: 1}, (0, None)],
    ids=lambda one: f"{one!r}" if one != 10**5000 else "huge",
)
def test_anything_else_is_no_answer(returned: Any) -> None:
    with pytest.raises(IllegalMove, match=r"return \(pile_index, card_index\)"):
        answered(returned)


def test_a_card_that_does_not_fit_is_an_invalid_play() -> None:
    assert answered((0, 0), a_view([20, 60], (30, 30, 100, 100))) == "invalid"
    back = a_view([20, 60], (30, 30, 100, 100), rules="backwards")
    assert answered((0, 0), back) == [0, 0]


def test_a_strategy_gets_four_lists_and_its_hand() -> None:
    seen: list[Any] = []

    def strategy(game: Any, hand: Any) -> tuple[int, int]:
        seen.extend([game, hand])
        return 0, 0

    player = adopt(strategy, named=False)
    assert player is not None
    assert player.__name__ == "strategy"
    answer(player(), a_view([5, 60], (7, 1, 100, 99)), None)  # type: ignore[arg-type]
    assert seen == [([1, 7], [1], [100], [100, 99]), [5, 60]]


def test_what_a_strategy_does_to_its_copy_changes_nothing() -> None:
    def strategy(game: Any, hand: Any) -> tuple[int, int]:
        game[0][-1] = 0
        hand[:] = [99]
        return 0, 0

    player = adopt(strategy, named=True)
    assert player is not None
    assert answer(player(), a_view([5], (30, 30, 9, 9)), None) == "invalid"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name, named, taken",
    [("strategy", False, True), ("my_strategy", False, True), ("distance", False, False),
     ("distance", True, True), ("strategyless", False, False)],
)  # fmt: skip
def test_a_function_is_taken_by_its_name_or_because_it_is_named(
    name: str, named: bool, taken: bool
) -> None:
    def function() -> None:
        """Is never called."""

    function.__name__ = name
    assert (adopt(function, named=named) is not None) is taken


@pytest.mark.parametrize("value", [3, None, "strategy", Player, int])
def test_what_cannot_be_asked_is_no_strategy(value: object) -> None:
    assert adopt(value, named=True) is None


class Talking(Player):
    """A strategy that gives the test's hint."""

    def __init__(self, said: Any = None, more: Any = None) -> None:
        self._said, self._more = said, more

    def play(self, table: Table) -> tuple[int, int]:
        return table.plays()[0]

    def more(self, table: Table) -> Any:
        return self._more

    def hint(self, table: Table) -> Any:
        return self._said


def test_a_turn_that_may_end_ends_unless_the_player_lays_more() -> None:
    view = a_view([5, 60], ask="more", owed=0, rules="published")
    assert answer(LegalMinimalPlayer(), view, None) == "done"  # type: ignore[arg-type]
    assert answer(Talking(more=(0, 1)), view, None) == [0, 1]  # type: ignore[arg-type]


def test_a_hint_is_a_word_for_each_pile_or_none() -> None:
    view = a_view([5, 60], ask="hint", mover=1)
    hint = ("none", "please leave it", "I can go close", "none")
    assert answer(Talking(), view, None) == list(SILENCE)  # type: ignore[arg-type]
    assert answer(Talking(hint), view, None) == list(hint)  # type: ignore[arg-type]


@pytest.mark.parametrize("said", ["none", [3, 1, 2, 0], ["none"] * 5, ["37"] * 4, 1, [[]] * 4])
def test_a_hint_with_anything_else_is_refused(said: Any) -> None:
    with pytest.raises(IllegalMove, match="for each pile"):
        answer(Talking(said), a_view([5], ask="hint"), None)  # type: ignore[arg-type]


def test_the_base_class_says_what_to_write() -> None:
    with pytest.raises(NotImplementedError, match=r"play\(table\)"):
        Player().play(Table(a_view([5])))


def test_a_table_tells_what_a_player_wants_to_know() -> None:
    table = Table(a_view([20, 60, 99], (30, 30, 10, 89), rules="backwards"))
    assert (table.players, table.top(3), table.backwards) == (2, 89, True)
    assert table.fits(0, 20)
    assert not table.fits(0, 21)
    assert (table.step(0, 20), table.step(3, 60)) == (-10, 29)
    allowed = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (3, 0), (3, 1), (3, 2)]
    assert table.plays() == allowed


# --- The document's strategies ---------------------------------------------------------------


def test_random_makes_any_valid_play_and_never_a_backwards_one() -> None:
    game = piles([1, 30], [1, 95], [100, 20], [100, 60])
    made = {random_strategy(game, [20, 96]) for _ in range(200)}
    assert made == {(0, 1), (1, 1), (3, 0)}
    assert random_strategy(piles([98], [98], [3], [3]), [50]) == (0, 0)


@pytest.mark.parametrize(
    "tops, hand, play",
    [
        ((10, 20, 90, 80), [13, 50, 88], (2, 2)),
        ((10, 20, 90, 80), [11, 50, 88], (0, 0)),
        ((20, 10, 80, 90), [50, 11, 88], (1, 1)),
        ((10, 10, 90, 90), [12, 88], (2, 1)),
        ((30, 40, 90, 80), [29, 60], (0, 0)),
        ((30, 40, 80, 90), [25, 91], (3, 1)),
    ],
    ids=["falling", "rising", "second pile", "equals go down", "beneath", "above"],
)
def test_minimal_takes_the_nearest_even_where_it_does_not_fit(
    tops: tuple[int, int, int, int], hand: list[int], play: tuple[int, int]
) -> None:
    assert minimal_distance_strategy(piles(*([top] for top in tops)), hand) == play


def test_trick_looks_for_ten_apart_anywhere_in_a_pile() -> None:
    game = piles([1, 40, 55], [1], [100], [100, 33])
    assert {trick_strategy(game, [50, 30, 77]) for _ in range(100)} == {(0, 0), (0, 1)}


def test_trick_lays_the_earlier_of_a_pair_but_never_on_the_last_pile() -> None:
    game = piles([1, 55], [1, 3], [100], [100])
    assert {trick_strategy(game, [62, 52, 99]) for _ in range(200)} == {(0, 0), (1, 0), (2, 0)}


def test_trick_without_a_trick_is_random() -> None:
    game = piles([1], [1], [100], [100])
    assert len({trick_strategy(game, [50, 53]) for _ in range(300)}) == 8


@pytest.mark.parametrize("name", strategies)
def test_the_strategies_are_the_plain_loops(name: str) -> None:
    loop: Any = plain
    for seed in range(30):
        state = GAME.start(3, RandomDice(seed), {})
        game: Any = ([1, 20 + seed], [1, 5], [100, 70], [100, 90 - seed])
        random.seed(seed)
        ours = strategies[name](game, state.hands[0])
        random.seed(seed)
        assert ours == loop.strategies[name](game, state.hands[0])


# --- Players that keep to the rules ----------------------------------------------------------


def test_legal_minimal_takes_the_least_step_and_ten_back_first_of_all() -> None:
    tops = (30, 40, 90, 80)
    assert LegalMinimalPlayer().play(Table(a_view([33, 78, 20], tops))) == (3, 1)
    back = a_view([33, 78, 20], tops, rules="backwards")
    assert LegalMinimalPlayer().play(Table(back)) == (0, 2)
    equals = a_view([42, 88], (40, 40, 90, 90))
    assert LegalMinimalPlayer().play(Table(equals)) == (0, 0)


def test_legal_trick_goes_back_on_the_top_card_only() -> None:
    view = a_view([20, 60, 45], (30, 50, 99, 99), rules="published")
    view["piles"][0] = [1, 55, 30]
    assert {LegalTrickPlayer().play(Table(view)) for _ in range(20)} == {(0, 0)}
    view["rules"] = "article"
    made = {LegalTrickPlayer().play(Table(view)) for _ in range(100)}
    assert made == set(Table(view).plays())
