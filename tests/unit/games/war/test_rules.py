"""The rules of Addition War, dealt and chosen, play by play."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench.plain.war as plain
from matchbox.errors import IllegalMove
from matchbox.game import CHANCE
from matchbox.games.war.draw import draw
from matchbox.games.war.rules import GAME
from matchbox.games.war.state import CHOOSE, DEALT, DECK, HAND, State, begin
from tests.fakes import LeastDice, RandomDice

DEAL_1 = (
    [10, 8, 4, 7, 11, 4, 6, 12, 12, 4, 13, 3, 11, 2, 3, 7, 8, 8, 7, 3, 10, 2, 5, 13, 1, 11],
    [12, 13, 11, 9, 10, 2, 13, 4, 5, 7, 1, 5, 1, 2, 3, 9, 9, 5, 12, 6, 10, 6, 8, 6, 9, 1],
)
DEAL_4 = (
    [7, 2, 7, 12, 2, 9, 12, 3, 5, 3, 10, 10, 6, 11, 9, 13, 4, 9, 4, 11, 1, 6, 1, 5, 13, 8],
    [4, 8, 1, 1, 11, 6, 2, 8, 7, 8, 13, 10, 4, 11, 7, 3, 9, 5, 6, 3, 10, 12, 2, 12, 5, 13],
)
any_deal = st.permutations(DECK).map(lambda deck: (list(deck[:HAND]), list(deck[HAND:])))


def run_out(state: State) -> State:
    """Plays the dealt game to its end."""
    while GAME.to_move(state):
        assert list(GAME.to_move(state)) == [CHANCE]
        state = GAME.apply(state, CHANCE, None, LeastDice())
    return state


def a_table(first: str, second: str) -> State:
    """A table with these hands at which players choose their cards."""
    return begin(([*map(int, first.split())], [*map(int, second.split())]), CHOOSE)


def lay(state: State, *pairs: tuple[str, str]) -> State:
    """The state after these plays, the first seat's pair first."""
    for first, second in pairs:
        state = GAME.apply(state, 0, first, LeastDice())
        state = GAME.apply(state, 1, second, LeastDice())
    return state


def view(state: State, seat: int | None) -> Any:
    return GAME.view(state, seat)


# --- Dealt -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hands, initial, final, places",
    [(DEAL_1, (185, 179), (212, 152), (1, 2)), (DEAL_4, (183, 181), (173, 191), (2, 1))],
)
def test_the_documents_deals_end_as_it_prints_them(
    hands: Any, initial: Any, final: Any, places: Any
) -> None:
    state = run_out(begin((list(hands[0]), list(hands[1])), DEALT))
    outcome = GAME.outcome(state)
    assert state.initial == initial
    assert outcome is not None
    assert (outcome.scores, outcome.places) == (final, places)
    assert len(state.took) == 13


@given(any_deal)
def test_a_dealt_game_is_that_of_the_plain_loop(hands: Any) -> None:
    state = run_out(begin((list(hands[0]), list(hands[1])), DEALT))
    outcome = GAME.outcome(state)
    assert outcome is not None
    winner = 0 if outcome.places == (1, 1) else 1 + outcome.places.index(1)
    loop: Any = plain
    assert (*state.initial, *outcome.scores, winner) == loop.game(hands)


@given(any_deal)
def test_all_totals_add_up_to_those_of_the_deck(hands: Any) -> None:
    state = run_out(begin((list(hands[0]), list(hands[1])), DEALT))
    assert sum(state.initial) == sum(state.points) == 364


def test_the_deal_is_shuffled_once_and_cut_in_the_middle() -> None:
    deck = [value for value in range(1, 14) for _ in range(4)]
    random.Random(7).shuffle(deck)
    state = GAME.start(2, RandomDice(7), {"play": DEALT})
    assert [list(hand) for hand in state.hands] == [deck[:26], deck[26:]]
    assert state.initial == (sum(deck[:26]), sum(deck[26:]))


def test_nobody_sees_the_order_of_the_dealt_cards() -> None:
    state = GAME.start(2, RandomDice(1), {"play": DEALT})
    other = GAME.resample(state, 0, RandomDice(2))
    assert other.hands != state.hands
    assert [view(other, seat) for seat in (0, 1, None)] == [
        view(state, seat) for seat in (0, 1, None)
    ]
    assert view(state, 0)["ask"] == "wait"


# --- A play ----------------------------------------------------------------------------------


def test_both_lay_at_once_and_the_higher_sum_takes_all_four() -> None:
    state = a_table("13 2 1 1", "12 4 3 3")
    assert list(GAME.to_move(state)) == [0, 1]
    state = lay(state, ("13 2", "12 4"))
    assert state.points == [0, 31]
    assert list(GAME.to_move(state)) == [0, 1]
    assert GAME.outcome(state) is None


def test_after_a_tie_the_next_winner_takes_everything() -> None:
    state = lay(a_table("9 1 5 5 2 2", "8 2 7 3 1 2"), ("9 1", "8 2"), ("5 5", "7 3"))
    assert state.points == [0, 0]
    assert state.open == 2
    state = lay(state, ("2 2", "2 1"))
    assert state.points == [47, 0]
    assert state.open == 0
    assert state.took == [0, 0, 0]


def test_a_tie_at_the_end_is_given_back() -> None:
    state = lay(a_table("3 1 9 1 5 5", "1 1 8 2 7 3"), ("3 1", "1 1"), ("9 1", "8 2"))
    state = lay(state, ("5 5", "7 3"))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores == (26, 20)
    assert outcome.why == "the cards ran out in a tie"
    assert state.took == [0, None, None]


def test_equal_totals_are_a_draw() -> None:
    outcome = GAME.outcome(lay(a_table("9 1", "8 2"), ("9 1", "8 2")))
    assert outcome is not None
    assert (outcome.places, outcome.scores) == ((1, 1), (10, 10))


def test_every_pair_of_the_hand_is_legal_once() -> None:
    state = a_table("5 5 2 1", "13 12 11 10")
    assert GAME.legal(state, 0) == ["5 5", "5 2", "5 1", "2 1"]


@pytest.mark.parametrize(
    "move, told",
    [
        ("1 5", "higher first"),
        ("2 2", "do not hold"),
        ("13 1", "do not hold"),
        ("5", "not a pair"),
        ("5 5 2", "not a pair"),
        ("05 5", "not a pair"),
        ("2 5", "not a pair"),
        ("14 5", "no card 14"),
        ("13 0", "no card 0"),
        ("5 -1", "no card -1"),
        ([5, 5], "not a pair"),
        (52, "not a pair"),
        ({}, "not a pair"),
        (None, "not a pair"),
    ],
)
def test_another_move_is_refused_with_a_sentence(move: Any, told: str) -> None:
    state = a_table("5 5 2 1", "13 12 11 10")
    assert told in GAME.refusal(state, 0, move)
    with pytest.raises(IllegalMove, match=told):
        GAME.apply(state, 0, move, LeastDice())
    assert list(state.hands[0]) == [5, 5, 2, 1]
    assert state.laid == [None, None]


def test_there_is_no_play_without_one_of_two() -> None:
    with pytest.raises(IllegalMove):
        GAME.without(a_table("1 2", "3 4"), 0, LeastDice())


# --- What is seen ----------------------------------------------------------------------------


def test_cards_that_lie_face_down_are_still_in_the_hand_for_everybody_else() -> None:
    state = a_table("13 2 1 1", "12 4 3 3")
    before = view(state, 1)
    state = GAME.apply(state, 0, "13 1", LeastDice())
    assert view(state, 1) == before
    assert view(state, 0)["laid"] == [13, 1]
    assert view(state, 0)["hand"] == [2, 1]
    assert view(state, 0)["ask"] == "wait"
    assert view(state, None)["hands"][0] == [13, 2, 1, 1]
    assert view(state, None)["laid"] == [True, False]
    assert list(GAME.to_move(state)) == [1]


def test_the_seat_that_lays_second_first_is_hidden_as_well() -> None:
    state = a_table("13 2 1 1", "12 4 3 3")
    before = view(state, 0)
    state = GAME.apply(state, 1, "12 3", LeastDice())
    assert view(state, 0) == before
    assert list(GAME.to_move(state)) == [0]


def test_a_seat_sees_every_play_from_its_own_side() -> None:
    state = lay(a_table("13 2 1 1", "12 4 3 3"), ("13 2", "12 4"))
    assert view(state, 0)["played"] == [[13, 2], [12, 4]]
    assert view(state, 1)["played"] == [[12, 4], [13, 2]]
    assert [view(state, seat)["took"] for seat in (0, 1, None)] == [[False], [True], [1]]
    assert (view(state, 0)["points"], view(state, 1)["points"]) == ([0, 31], [31, 0])


@given(st.integers(0, 10_000), st.integers(0, 1))
def test_what_the_other_laid_can_be_anything_it_holds(seed: int, seat: int) -> None:
    state = GAME.start(2, RandomDice(seed), {"play": CHOOSE})
    legal = GAME.legal(state, 1 - seat)
    state = GAME.apply(state, 1 - seat, legal[seed % len(legal)], LeastDice())
    other = GAME.resample(state, seat, RandomDice(seed + 1))
    assert "{} {}".format(*(other.laid[1 - seat] or ())) in legal
    assert view(other, seat) == view(state, seat)
    assert GAME.legal(other, seat) == GAME.legal(state, seat)
    assert other.hands == state.hands


# --- The transcript --------------------------------------------------------------------------


def test_a_pair_is_told_once_both_lie_open() -> None:
    state = GAME.apply(a_table("13 2 1 1", "12 4 3 3"), 0, "13 2", LeastDice())
    assert GAME.describe("13 2", view(state, None)) == "lays two cards face down"
    begin = view(GAME.apply(state, 1, "12 4", LeastDice()), None)
    assert GAME.describe("13 2", begin) == "lays 13 and 2, together 15"
    assert GAME.describe("12 4", begin).splitlines() == [
        "lays 12 and 4, together 16",
        "takes 31 points",
    ]


def test_a_tie_and_what_comes_of_it_are_told() -> None:
    state = lay(a_table("9 1 5 5 4 2", "8 2 7 3 4 2"), ("9 1", "8 2"))
    assert "the cards stay open" in GAME.describe("9 1", view(state, None))
    state = lay(state, ("5 5", "4 2"))
    assert "takes 36 points" in GAME.describe("5 5", view(state, None))
    state = lay(state, ("4 2", "7 3"))
    assert "the totals are 36 to 16" in GAME.describe("7 3", view(state, None))
    state = lay(a_table("9 1", "9 1"), ("9 1", "9 1"))
    assert GAME.describe("9 1", view(state, None)).splitlines() == [
        "lays 9 and 1, together 10",
        "a tie: takes its cards back",
        "the totals are 10 to 10",
    ]


def test_a_play_of_chance_is_told() -> None:
    state = GAME.apply(begin(([10, 8, 9, 1], [12, 13, 9, 1]), DEALT), CHANCE, None, LeastDice())
    assert GAME.describe(None, view(state, None)).splitlines() == [
        "seat 0 lays 10 and 8, together 18",
        "seat 1 lays 12 and 13, together 25",
        "seat 1 takes 43 points",
    ]
    state = GAME.apply(state, CHANCE, None, LeastDice())
    assert GAME.describe(None, view(state, None)).splitlines()[2:] == [
        "a tie: both take their cards back",
        "the totals are 10 to 53",
    ]


@pytest.mark.parametrize("play, owing", [(CHOOSE, 2), (DEALT, 0)])
def test_only_players_that_choose_are_drawn_as_those_who_are_to_lay(play: str, owing: int) -> None:
    state = GAME.start(2, LeastDice(), {"play": play})
    assert draw(view(state, None)).count("to lay") == owing


def test_two_moves_make_a_play() -> None:
    assert GAME.turns(["2 1", "3 1", "5 5", "4 4"]) == 2
