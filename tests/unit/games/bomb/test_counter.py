"""The shipped player Counter: its belief about the bomb's place, and its wins."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from cli import named_bots
from laboratory.experiment import run
from laboratory.planning import make_plan
from laboratory.worker_pool import worker_pool
from matchbox.games.bomb import (
    Card,
    GameData,
    Hand,
    bomb_card,
    bottom_card,
    defuse_card,
    nothing_card,
    see_card,
    shuffle_card,
    skip_card,
)
from matchbox.lab.result_rows import is_matrix
from matchbox.settings import Settings

counter: Any = import_module("bots.bomb.counter")
"""Players have no type annotations."""


def asked(pile: int, hand: dict[Card, int], *discarded: Card, other: int = 6) -> GameData:
    """Returns Counter's view before its turn."""
    return GameData(pile, discarded, Hand(hand), other)


def in_a_turn(*kinds: Card) -> Any:
    """Returns a Counter that has drawn once, after which the opponent has played these cards."""
    player = counter.Counter()
    assert player.turn(asked(17, {defuse_card: 1}), played) is None
    ended = bool(kinds) and kinds[-1] is skip_card
    player.follow(asked(16 if ended else 15, {defuse_card: 1}, *kinds))
    return player


def played(card: Card) -> tuple[Card, ...] | None:
    """Raises AssertionError: the test allows no card."""
    raise AssertionError(card)


def test_all_places_are_equally_likely_at_first() -> None:
    assert counter.Counter().chances == [1 / 17] * 17
    assert in_a_turn().chances == pytest.approx([1 / 15] * 15)


def test_who_looks_and_does_not_draw_has_likely_seen_the_bomb() -> None:
    looked, blind = in_a_turn(see_card, skip_card), in_a_turn(skip_card)
    assert looked.chances[0] > 0.3 > blind.chances[0] > 1 / 16
    assert sum(looked.chances) == pytest.approx(1)


def test_a_shuffle_after_that_makes_all_places_equal_again() -> None:
    assert in_a_turn(see_card, shuffle_card).chances == pytest.approx([1 / 15] * 15)


def test_a_bomb_that_was_put_back_lies_on_top_more_often_than_elsewhere() -> None:
    player = counter.Counter()
    player.turn(asked(17, {defuse_card: 1}), played)
    player.follow(asked(16, {defuse_card: 1}, defuse_card))
    assert player.chances[0] > 0.5 > player.chances[-1] > player.chances[1]


@pytest.mark.parametrize(
    ("chances", "cards", "left"),
    [
        ([0.25] * 4, (nothing_card, bomb_card, skip_card), [0, 1, 0, 0]),
        ([0.25] * 4, (nothing_card, skip_card), [0, 0, 0.5, 0.5]),
        ([0.5, 0.5], (skip_card, nothing_card), [0.5, 0.5]),  # an impossible belief begins anew
    ],
)
def test_cards_seen_settle_where_the_bomb_is_not(
    chances: list[float], cards: tuple[Card, ...], left: list[float]
) -> None:
    assert counter.seen(chances, cards) == pytest.approx(left)


@pytest.mark.parametrize(
    ("ending", "left"),
    [(None, [0.6, 0.4]), (bottom_card, [0.4, 0.6]), (skip_card, [0.25, 0.45, 0.3])],
)
def test_a_harmless_draw_takes_its_place_away(ending: Card | None, left: list[float]) -> None:
    after = counter.after([0.25, 0.45, 0.3], ending)
    if ending is skip_card:
        assert after == left
    else:
        assert sum(after) == pytest.approx(1)
        assert len(after) == 2


def test_it_skips_a_bomb_that_it_knows_on_top_and_draws_where_it_is_safe() -> None:
    player = counter.Counter()
    player.turn(asked(17, {}), played)
    player.chances, player.read = [0.0, 1.0] + [0.0] * 14, 0
    assert player.turn(asked(15, {skip_card: 1}), played) is skip_card
    player.chances = [0.0] * 14 + [1.0]
    assert player.turn(asked(14, {skip_card: 1}, skip_card), played) is None


def test_the_bomb_goes_where_the_other_one_comes_to_it() -> None:
    places = [counter.Counter().defuse(asked(10, {defuse_card: 1})) for _ in range(200)]
    assert set(places) <= set(range(0, 11, 2))
    assert places.count(0) > 120


@pytest.mark.parametrize(("rival", "least"), [("medium", 0.58), ("scared", 0.65), ("simple", 0.9)])
def test_it_clearly_beats_the_documents_players(rival: str, least: float) -> None:
    bots = named_bots.find_all("bomb", ["counter", rival])
    plan = make_plan("bomb", named_bots.contestants(bots), 300, "a test", Settings())
    with worker_pool("none", 1) as pool:
        result = run(plan, named_bots.bundles(bots), pool).results.result()
    assert is_matrix(result)
    assert not result["faults"]
    assert result["totals"][0]["share"] > least
