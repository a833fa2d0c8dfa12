"""The Game's rules: which cards fit, whose turn it is, when it ends, and its views."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from matchbox.errors import IllegalMove
from matchbox.game import Plain, fill_options
from matchbox.games.thegame.piles import RULES, SILENCE, fits, step
from matchbox.games.thegame.rules import GAME, HANDS, State
from matchbox.match.frames import what_is_wrong
from tests.fakes import LeastDice, RandomDice

VARIANTS = [(rules, hints) for rules in RULES for hints in (False, True)]
every_variant = pytest.mark.parametrize("rules, hints", VARIANTS)


def started(
    seats: int = 2, rules: str = "article", hints: bool = False, seed: int | None = None
) -> State:
    dice = LeastDice() if seed is None else RandomDice(seed)
    return GAME.start(seats, dice, fill_options(GAME.spec, {"rules": rules, "hints": hints}))


def a_table(
    *hands: list[int], deck: list[int] | None = None, tops: Any = (1, 1, 100, 100), **option: Any
) -> State:
    """A table with these cards; the cards of no hand and no deck lie deep in pile 0."""
    state = started(len(hands), **option)
    state.hands, state.deck = [list(hand) for hand in hands], deck or []
    state.size = max(map(len, hands))
    gone = set(range(2, 100)) - {*state.deck, *tops, *(card for hand in hands for card in hand)}
    starts = (1, 1, 100, 100)
    state.laid = [
        [top] if top == one else [one, top] for one, top in zip(starts, tops, strict=True)
    ]
    state.laid[0][:0] = gone
    state.owed = 2 if option.get("rules") == "published" and state.deck else 1
    return state


def laid(state: State, *plays: list[int]) -> State:
    for play in plays:
        GAME.apply(state, state.mover, play, LeastDice())
    return state


def ending(state: State) -> tuple[int, str]:
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert set(outcome.places) == {1}
    assert len(set(outcome.scores)) == 1
    return outcome.scores[0], outcome.why


def walk(seats: int, rules: str, hints: bool, seed: int) -> Iterator[State]:
    """Yields every position of a game of random legal moves, one move at a time."""
    lot, state = random.Random(seed), started(seats, rules, hints, seed)
    while movers := list(GAME.to_move(state)):
        yield state
        for seat in movers:
            moves = [move for move in GAME.legal(state, seat) if move != "invalid"]
            GAME.apply(state, seat, lot.choice(moves), RandomDice(seed))
    yield state


# --- The start -------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", range(1, 8))
def test_all_cards_are_dealt_or_in_the_deck(seats: int) -> None:
    state = started(seats, seed=seats)
    assert [len(hand) for hand in state.hands] == [HANDS[seats - 1]] * seats
    cards = state.deck + [card for hand in state.hands for card in hand]
    assert sorted(cards) == list(range(2, 100))
    assert state.laid == [[1], [1], [100], [100]]
    assert GAME.to_move(state) == (0,)


def test_cards_are_dealt_one_at_a_time_round_the_table() -> None:
    assert started(2).hands == [[99, 97, 95, 93, 91, 89, 87], [98, 96, 94, 92, 90, 88, 86]]


# --- What fits -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pile, top, card, along, article, backwards",
    [
        (0, 30, 31, 1, True, True),
        (1, 30, 99, 69, True, True),
        (0, 30, 29, -1, False, False),
        (0, 30, 20, -10, False, True),
        (0, 30, 19, -11, False, False),
        (2, 30, 29, 1, True, True),
        (3, 30, 31, -1, False, False),
        (3, 30, 40, -10, False, True),
        (2, 30, 41, -11, False, False),
        (2, 30, 20, 10, True, True),
    ],
)
def test_a_card_fits_its_way_or_exactly_ten_back(
    pile: int, top: int, card: int, along: int, article: bool, backwards: bool
) -> None:
    assert step(pile, top, card) == along
    assert fits(pile, top, card, False) is article
    assert fits(pile, top, card, True) is backwards


def test_ten_back_is_allowed_under_the_rules_that_know_it() -> None:
    for rules, allowed in (("article", False), ("backwards", True), ("published", True)):
        state = a_table([20, 99], tops=(30, 30, 10, 10), rules=rules)
        assert ([0, 0] in GAME.legal(state, 0)) is allowed


@pytest.mark.parametrize(
    "move",
    [[0, 0], [4, 0], [-1, 0], [0, 2], [0, -1], [True, 0], [0], [0, 1, 2], "done", "0 1", None, 7],
    ids=repr,
)
def test_what_is_no_allowed_play_is_refused_and_changes_nothing(move: Plain) -> None:
    state = a_table([5, 60], [70], tops=(10, 11, 4, 5))
    before = GAME.view(state, 0)
    with pytest.raises(IllegalMove):
        GAME.apply(state, 0, move, LeastDice())
    assert GAME.view(state, 0) == before


# --- Turns -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["article", "backwards"])
def test_a_turn_is_one_card_and_one_is_drawn(rules: str) -> None:
    state = laid(a_table([5, 60], [70, 71], deck=[80, 81], rules=rules), [0, 0])
    assert state.hands == [[60, 81], [70, 71]]
    assert state.mover == 1
    assert state.last == {"seat": 0, "pile": 0, "card": 5, "step": 4}


def test_published_rules_ask_for_two_cards_while_there_is_a_deck() -> None:
    state = laid(a_table([5, 6, 60], [70], deck=[80, 81], rules="published"), [0, 0])
    assert (state.mover, state.owed, state.hands[0]) == (0, 1, [6, 60])
    with pytest.raises(IllegalMove, match="lay 1 more first"):
        GAME.apply(state, 0, "done", LeastDice())
    laid(state, [0, 0])
    assert (state.mover, state.owed, state.hands[0]) == (0, 0, [60])
    assert "done" in GAME.legal(state, 0)
    GAME.apply(state, 0, "done", LeastDice())
    assert (state.mover, state.hands[0]) == (1, [60, 81, 80])


def test_published_rules_ask_for_one_card_without_a_deck() -> None:
    state = laid(a_table([5, 60], [70], rules="published"), [0, 0])
    assert state.owed == 0
    GAME.apply(state, 0, "done", LeastDice())
    assert (state.mover, state.owed) == (1, 1)


def test_under_published_rules_a_player_may_go_on_until_nothing_fits() -> None:
    hands = [5, 6, 7, 3], [70]
    state = laid(a_table(*hands, deck=[80], tops=(4, 50, 2, 2), rules="published"), *[[0, 0]] * 3)
    assert state.mover == 1, "the 3 fits nowhere, so the turn is over"
    assert state.hands[0] == [3, 80]


def test_who_has_no_cards_is_passed_over() -> None:
    state = laid(a_table([5, 60], [], [70], []), [0, 0])
    assert state.mover == 2
    laid(state, [0, 0])
    assert state.mover == 0


# --- Ends ------------------------------------------------------------------------------------


def test_the_game_is_won_when_the_last_card_is_laid() -> None:
    state = laid(a_table([60], [], tops=(59, 1, 100, 100)), [0, 0])
    assert ending(state) == (98, "won")
    assert GAME.to_move(state) == ()


def test_the_game_goes_on_after_the_deck_is_empty() -> None:
    state = laid(a_table([60], [61], tops=(59, 1, 100, 100)), [0, 0], [0, 0])
    assert ending(state) == (98, "won")


def test_it_ends_when_the_mover_can_lay_no_card() -> None:
    state = laid(a_table([60, 98], [50], tops=(59, 70, 10, 2)), [0, 0])
    assert ending(state) == (96, "blocked")
    assert [name for name, holds in GAME.facts(state).items() if holds] == ["blocked", "excellent"]
    assert not GAME.facts(started(3))["excellent"]


def test_it_ends_when_the_second_card_of_a_published_turn_fits_nowhere() -> None:
    state = a_table([60, 51], [70], deck=[80], tops=(59, 72, 10, 2), rules="published")
    assert ending(laid(state, [0, 0])) == (95, "blocked")


def test_an_invalid_play_ends_it_for_all_and_is_told_apart() -> None:
    state = a_table([60, 61], [62])
    GAME.apply(state, 0, "invalid", LeastDice())
    assert ending(state) == (95, "invalid")
    ends = {"won": False, "blocked": False, "invalid": True}
    assert GAME.facts(state) == {**ends, "excellent": True}


def test_there_is_no_play_without_one_of_the_team() -> None:
    with pytest.raises(IllegalMove, match="ends for all"):
        GAME.without(started(3), 1, LeastDice())


# --- Hints -----------------------------------------------------------------------------------

HINT = ["please leave it", "none", "I can go close", "none"]


def test_between_two_turns_all_others_with_cards_say_a_word_for_each_pile() -> None:
    state = a_table([5, 60], [70], [], [71], hints=True)
    state.waiting = []
    laid(state, [0, 0])
    assert (state.mover, GAME.to_move(state)) == (1, (0, 3))
    assert len(GAME.legal(state, 0)) == 3**4
    GAME.apply(state, 0, HINT, LeastDice())
    GAME.apply(state, 3, list(SILENCE), LeastDice())
    assert GAME.to_move(state) == (1,)
    view: Any = GAME.view(state, 1)
    assert view["hints"] == [HINT, None, None, list(SILENCE)]


def test_a_new_hint_takes_the_place_of_the_last() -> None:
    state = a_table([5, 60], [70, 72], hints=True)
    state.waiting, state.hints = [], [None, HINT]
    laid(state, [0, 0])
    assert state.hints == [None, None]


@pytest.mark.parametrize(
    "move", [["none"] * 3, ["37", "none", "none", "none"], [37] * 4, "none", [0, 0], None, "done"]
)
def test_a_hint_holds_no_number_and_no_text_of_ones_own(move: Plain) -> None:
    state = started(2, hints=True)
    assert GAME.to_move(state) == (1,)
    with pytest.raises(IllegalMove, match="is not a hint"):
        GAME.apply(state, 1, move, LeastDice())


def test_one_player_alone_gives_no_hints() -> None:
    assert GAME.to_move(started(1, hints=True)) == (0,)


# --- Views -----------------------------------------------------------------------------------


def test_a_seat_sees_whole_piles_its_own_hand_and_numbers_of_the_rest() -> None:
    state = laid(a_table([5, 60], [70, 71], deck=[80, 81]), [3, 1])
    assert GAME.view(state, 1) == {
        "ask": "play",
        "piles": state.laid,
        "hands": [2, 2],
        "deck": 1,
        "mover": 1,
        "owed": 1,
        "rules": "article",
        "hints": [None, None],
        "last": {"seat": 0, "pile": 3, "card": 60, "step": 40},
        "seat": 1,
        "hand": [70, 71],
    }


@every_variant
@pytest.mark.parametrize("seats", [1, 2, 3, 7])
def test_what_a_seat_cannot_tell_apart_never_shows_in_its_view(
    seats: int, rules: str, hints: bool
) -> None:
    for seed in range(2):
        for number, state in enumerate(walk(seats, rules, hints, seed)):
            movers = list(GAME.to_move(state))
            for seat in (*range(seats), None):
                other = GAME.resample(state, seat, RandomDice(number))
                assert GAME.view(other, seat) == GAME.view(state, seat)
                assert list(GAME.to_move(other)) == movers
                plays = GAME.legal(other, movers[0]) if movers else [[0, 0]]
                assert state.waiting or not state.owed or isinstance(plays[0], list)
                assert what_is_wrong(GAME.view(state, seat)) == ""


@every_variant
def test_every_card_is_always_somewhere(rules: str, hints: bool) -> None:
    for seats, seed in product((1, 3, 6), range(3)):
        for state in walk(seats, rules, hints, seed):
            piles = [card for pile in state.laid for card in pile[1:]]
            hands = [card for hand in state.hands for card in hand]
            assert sorted(piles + hands + state.deck) == list(range(2, 100))
            assert all(len(hand) == state.size for hand in state.hands) or state.owed < 2
        assert ending(state) == (len(piles), "blocked")


def test_what_happened_is_told_in_words() -> None:
    state = laid(a_table([20, 99], [70], tops=(30, 30, 21, 21), rules="backwards"), [0, 0])
    table = GAME.view(state, None)
    assert GAME.describe([0, 0], table) == "lays 20 on pile 0, ten back"
    assert GAME.describe("done", table) == "ends the turn"
    assert "ends the game for all" in GAME.describe("invalid", table)
    told = GAME.describe(list(HINT), table)
    assert told == 'hints: pile 0 "please leave it", pile 2 "I can go close"'
    assert GAME.describe(list(SILENCE), table) == "gives no hint"
    assert GAME.turns([[0, 0], "done", list(HINT), [1, 2], "invalid"]) == 2
