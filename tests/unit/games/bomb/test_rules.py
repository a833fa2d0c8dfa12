"""The rules of bomb, step by step."""

from __future__ import annotations

import random
from typing import Any

import pytest

from matchbox.errors import IllegalMove
from matchbox.games.bomb.cards import DEFUSE, NUMBERS, SEE, SKIP
from matchbox.games.bomb.rules import GAME, names
from matchbox.games.bomb.steps import State, holding
from tests.fakes import LeastDice, RandomDice

KINDS = {"defuse": 4, "skip": 4, "bottom": 4, "shuffle": 4, "see": 8, "nothing": 4, "bomb": 1}


def cards(kinds: str) -> bytearray:
    """These cards, as a state holds them."""
    return bytearray(NUMBERS[kind] for kind in kinds.split())


def a_hand(kinds: str) -> bytearray:
    held = cards(kinds)
    return bytearray(held.count(number) for number in range(len(KINDS)))


def a_state(pile: str, hand: str = "", other: str = "") -> State:
    """A state with these cards; the last of the pile is its top. Seat 0 is to move."""
    return holding(cards(pile), a_hand(hand), a_hand(other))


def play(state: State, *moves: Any) -> State:
    """Returns the state after these moves of the seats in turn."""
    for move in moves:
        state = GAME.apply(state, GAME.to_move(state)[0], move, LeastDice())
    return state


def view(state: State, seat: int | None) -> Any:
    return GAME.view(state, seat)


def test_the_deal_holds_every_card_once() -> None:
    state = GAME.start(2, RandomDice(1), {})
    assert len(state.pile) == 17
    for hand in state.hands:
        assert sum(hand) == 6
        assert hand[DEFUSE] >= 1
    dealt = [sum(counts) for counts in zip(*state.hands, strict=True)] + [0]
    for card, number in enumerate(KINDS.values()):
        assert state.pile.count(card) + dealt[card] == number


def test_the_deal_draws_its_chance_in_the_order_of_the_document() -> None:
    stream = random.Random(7)
    deck = ["skip"] * 4 + ["bottom"] * 4 + ["shuffle"] * 4 + ["see"] * 8 + ["nothing"] * 4
    stream.shuffle(deck)
    hands = [[deck.pop() for _ in range(5)] for _ in range(2)]
    deck += ["defuse", "defuse", "bomb"]
    stream.shuffle(deck)
    state = GAME.start(2, RandomDice(7), {})
    assert names(state.pile) == deck
    for dealt, hand in zip(hands, state.hands, strict=True):
        assert a_hand(" ".join([*dealt, "defuse"])) == hand


def test_a_draw_takes_the_top_card_and_ends_the_turn() -> None:
    state = play(a_state("see skip"), "draw")
    assert state.pile == cards("see")
    assert state.hands[0][SKIP] == 1
    assert GAME.to_move(state) == (1,)
    assert not state.discard


def test_a_bottom_card_draws_from_the_other_end() -> None:
    state = play(a_state("see skip", "bottom"), "bottom")
    assert state.pile == cards("skip")
    assert state.hands[0][SEE] == 1
    assert state.discard == cards("bottom")


def test_a_skip_card_ends_the_turn_without_a_draw() -> None:
    state = play(a_state("bomb", "skip"), "skip")
    assert state.pile == cards("bomb")
    assert GAME.to_move(state) == (1,)


def test_a_see_card_shows_the_top_three_and_the_very_top_first() -> None:
    state = play(a_state("nothing bottom see skip", "see"), "see")
    assert view(state, 0)["seen"] == ["skip", "see", "bottom"]
    assert "seen" not in view(state, 1)
    assert GAME.to_move(state) == (0,)
    assert state.pile == cards("nothing bottom see skip")


def test_a_see_card_shows_as_many_as_there_are() -> None:
    assert view(play(a_state("bomb see", "see"), "see"), 0)["seen"] == ["see", "bomb"]


def test_what_was_seen_is_not_told_again() -> None:
    state = play(a_state("bomb see", "see shuffle"), "see", "shuffle")
    assert "seen" not in view(state, 0)


def test_a_shuffle_card_shuffles_the_whole_pile() -> None:
    state = a_state("see skip bottom nothing", "shuffle")
    before = state.pile.copy()
    GAME.apply(state, 0, "shuffle", RandomDice(1))
    assert state.pile != before
    assert sorted(state.pile) == sorted(before)
    assert GAME.to_move(state) == (0,)


def test_the_bomb_without_a_defuse_card_loses() -> None:
    state = play(a_state("see bomb", "skip", "see"), "draw")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.scores, outcome.why) == ((2, 1), (0, 1), "explosion")
    assert not GAME.to_move(state)
    assert view(state, None)["loser"] == 0


def test_the_bomb_at_the_bottom_is_drawn_by_a_bottom_card() -> None:
    state = play(a_state("bomb see", "bottom", "see"), "bottom")
    assert state.loser == 0


def test_the_bomb_with_a_defuse_card_is_put_back() -> None:
    state = play(a_state("see skip bomb", "defuse"), "draw")
    assert state.discard == cards("defuse")
    assert view(state, 0)["ask"] == "defuse"
    assert view(state, 0)["pile"] == 2
    assert GAME.legal(state, 0) == [0, 1, 2]
    assert GAME.to_move(state) == (0,)


@pytest.mark.parametrize(
    "place, pile",
    [(0, "see skip bomb"), (1, "see bomb skip"), (2, "bomb see skip")],
)
def test_so_many_cards_as_the_place_says_lie_above_the_bomb(place: int, pile: str) -> None:
    state = play(a_state("see skip bomb", "defuse"), "draw", place)
    assert state.pile == cards(pile)
    assert GAME.to_move(state) == (1,)


def test_the_only_card_can_be_put_back_at_one_place() -> None:
    assert GAME.legal(play(a_state("bomb", "defuse"), "draw"), 0) == [0]


@pytest.mark.parametrize("kind", ["skip", "bottom", "see", "shuffle"])
def test_a_card_that_is_not_held_is_refused(kind: str) -> None:
    with pytest.raises(IllegalMove, match=f"you hold no {kind} card"):
        play(a_state("see bomb"), kind)


@pytest.mark.parametrize("move", ["defuse", "nothing", "bomb", 0, None, True, [], {}, "a" * 300])
def test_what_is_no_move_of_a_turn_is_refused_in_a_short_sentence(move: Any) -> None:
    with pytest.raises(IllegalMove, match="is not a move of a turn") as refusal:
        play(a_state("see bomb", "defuse nothing"), move)
    assert len(str(refusal.value)) < 160


@pytest.mark.parametrize("place", [-1, 3, True, None, "0", "draw", [1]])
def test_what_is_no_place_is_refused(place: Any) -> None:
    with pytest.raises(IllegalMove, match="choose an int from 0 to 2"):
        play(a_state("see skip bomb", "defuse"), "draw", place)


def test_both_see_the_discard_pile_and_the_numbers_of_cards() -> None:
    state = play(a_state("bomb see skip", "skip see", "nothing"), "skip")
    for seat in (0, 1):
        assert view(state, seat)["discard"] == ["skip"]
        assert view(state, seat)["pile"] == 3
    assert [view(state, seat)["other"] for seat in (0, 1)] == [1, 1]
    assert [view(state, seat)["ask"] for seat in (0, 1)] == ["wait", "turn"]


def test_a_spectator_sees_no_hand_and_no_place() -> None:
    state = play(a_state("see skip bomb", "defuse see", "nothing"), "draw", 1)
    assert view(state, None) == {
        "ask": "turn", "mover": 1, "hands": [1, 1], "pile": 3, "discard": ["defuse"],
        "last": "place", "loser": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "state, move, told",
    [
        (a_state("see skip"), "draw", "draws the top card"),
        (a_state("see skip", "bottom"), "bottom", "plays a bottom card\ndraws the bottom card"),
        (a_state("see", "skip"), "skip", "plays a skip card"),
        (a_state("see", "see"), "see", "plays a see card"),
        (a_state("see", "shuffle"), "shuffle", "plays a shuffle card\nthe draw pile is shuffled"),
        (
            a_state("bomb", "defuse"),
            "draw",
            "draws the top card\nit is the bomb\nplays a defuse card",
        ),
        (a_state("bomb"), "draw", "draws the top card\nit is the bomb\nblows up"),
    ],
)
def test_a_move_is_told_without_secrets(state: State, move: str, told: str) -> None:
    assert GAME.describe(move, view(play(state, move), None)) == told


def test_the_place_of_the_bomb_is_not_told() -> None:
    state = play(a_state("see skip bomb", "defuse"), "draw", 1)
    assert GAME.describe(1, view(state, None)) == "puts the bomb back"


def test_turns_are_counted_by_what_ends_them() -> None:
    assert GAME.turns(["see", "draw", 3, "shuffle", "skip", "bottom"]) == 3


def test_there_is_no_play_without_one_of_two() -> None:
    with pytest.raises(IllegalMove):
        GAME.without(a_state("see"), 0, LeastDice())
