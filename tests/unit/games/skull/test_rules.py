"""The rules of Skull, step by step."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from matchbox.errors import IllegalMove
from matchbox.games.skull import moves
from matchbox.games.skull.challenge import State
from matchbox.games.skull.rules import GAME
from tests.fakes import LeastDice, RandomDice


def begin(seats: int = 3, variant: str = "published") -> State:
    """The first position; seat 0 starts."""
    return GAME.start(seats, LeastDice(), {"variant": variant})


def play(state: State, *made: str) -> State:
    """Returns the state after these moves of the seats in turn."""
    for move in made:
        state = GAME.apply(state, GAME.to_move(state)[0], move, LeastDice())
    return state


def owning(*cards: str) -> State:
    """The first position of a table whose seats own these cards, such as "skull rose"."""
    state = begin(len(cards))
    for seat, own in enumerate(cards):
        held = [own.split().count(kind) for kind in moves.KINDS]
        lost = [moves.KINDS.index("rose")] * (4 - sum(held))
        state.owned[seat], state.lost[seat] = bytearray(held), bytearray(lost)
        state.cards[seat] = sum(held)
    state.clear_table()
    return state


def owned(state: State, seat: int) -> tuple[int, int]:
    """How many skulls and roses the seat owns."""
    skulls, roses = state.owned[seat]
    return skulls, roses


def public(state: State, *names: str) -> tuple[Any, ...]:
    """Returns the public values of these names."""
    return tuple(view(state, None)[name] for name in names)


def view(state: State, seat: int | None) -> Any:
    return GAME.view(state, seat)


ROSE, SKULL = "place rose", "place skull"


# --- Placing and bidding ---------------------------------------------------------------------


def test_everybody_owns_a_skull_and_three_roses() -> None:
    state = begin(6)
    assert [view(state, seat)["hand"] for seat in range(6)] == [{"skull": 1, "rose": 3}] * 6
    assert view(state, None)["points"] == [0] * 6


def test_the_first_starter_is_drawn_by_lot() -> None:
    starters = {public(GAME.start(6, RandomDice(seed), {}), "mover")[0] for seed in range(60)}
    assert starters == set(range(6))


def test_nobody_may_bid_before_everybody_has_a_card_down() -> None:
    state = play(begin(), ROSE, SKULL)
    assert GAME.legal(state, 2) == [SKULL, ROSE]
    with pytest.raises(IllegalMove, match="once everybody has placed one"):
        GAME.apply(state, 2, "bet 1", LeastDice())
    assert GAME.legal(play(state, ROSE), 0) == [SKULL, ROSE, "bet 1", "bet 2", "bet 3"]


def test_two_copies_of_a_rose_are_one_move() -> None:
    assert GAME.legal(begin(), 0) == [SKULL, ROSE]
    assert GAME.legal(play(begin(2), SKULL, ROSE), 0) == [ROSE, "bet 1", "bet 2"]


def test_an_empty_hand_must_bid() -> None:
    state = play(owning("rose", "skull rose"), ROSE, ROSE)
    assert GAME.legal(state, 0) == ["bet 1", "bet 2"]


def test_a_bid_must_be_higher_and_on_the_table() -> None:
    state = play(begin(), ROSE, ROSE, ROSE, ROSE, "bet 2")
    assert GAME.to_move(state) == (2,)
    assert GAME.legal(state, 2) == ["bet 3", "bet 4", "pass"]
    for bid in ("bet 1", "bet 2", "bet 5"):
        with pytest.raises(IllegalMove, match="bid more than 2, up to the 4 cards"):
            GAME.apply(state, 2, bid, LeastDice())


def test_whoever_passed_is_not_asked_again_and_whoever_was_raised_is() -> None:
    state = play(begin(), ROSE, ROSE, ROSE, ROSE, ROSE, ROSE, "bet 1", "pass", "bet 2")
    assert GAME.to_move(state) == (0,)
    state = play(state, "bet 3")
    assert GAME.to_move(state) == (2,)
    assert view(state, None)["bids"] == [3, -1, 2]


def test_the_bidding_ends_when_all_others_have_passed() -> None:
    state = play(begin(), ROSE, ROSE, ROSE, "bet 2", "pass", "pass")
    assert public(state, "phase", "mover") == ("choice", 0)


def test_a_bid_of_all_cards_ends_the_bidding_at_once() -> None:
    state = play(begin(), ROSE, ROSE, ROSE, "bet 3")
    assert public(state, "phase", "mover") == ("choice", 0)


# --- The challenge ---------------------------------------------------------------------------


def test_the_challenger_turns_over_his_own_pile_first_from_the_top() -> None:
    state = play(begin(2), SKULL, ROSE, ROSE, ROSE, "bet 1", "pass")
    assert view(state, None)["points"] == [1, 0], (
        "his top card is a rose, the skull below it stays covered"
    )


def test_he_turns_over_all_of_it_before_any_other() -> None:
    state = play(begin(2), SKULL, ROSE, ROSE, ROSE, "bet 2", "pass")
    assert view(state, 1)["log"].endswith("0 rose, 0 skull, 0 failed")
    assert view(state, None)["phase"] == "lose"


def test_then_he_chooses_piles_one_card_at_a_time() -> None:
    state = play(begin(), *[ROSE] * 6, "bet 4", "pass", "pass")
    assert view(state, 1)["log"].endswith("0 rose, 0 rose")
    assert GAME.legal(state, 0) == ["choose 1", "choose 2"]
    state = play(state, "choose 1")
    assert GAME.legal(state, 0) == ["choose 1", "choose 2"]


def test_a_pile_without_cards_cannot_be_chosen() -> None:
    state = play(begin(), ROSE, ROSE, ROSE, "bet 3", "choose 1")
    assert GAME.legal(state, 0) == ["choose 2"]
    for choice in ("choose 0", "choose 1", "choose 3"):
        with pytest.raises(IllegalMove, match="choose another seat"):
            GAME.apply(state, 0, choice, LeastDice())


def test_as_many_roses_as_bid_are_a_point_and_the_challenger_starts() -> None:
    state = play(begin(), ROSE, ROSE, ROSE, ROSE, "bet 2", "pass", "pass")
    assert view(state, None)["phase"] == "choice"
    state = play(state, "choose 2")
    assert view(state, None)["points"] == [0, 1, 0]
    assert public(state, "phase", "mover") == ("placing", 1)
    assert [view(state, seat)["hand"] for seat in range(3)] == [{"skull": 1, "rose": 3}] * 3


def test_a_skull_as_the_last_card_is_a_failure() -> None:
    state = play(begin(2), ROSE, SKULL, "bet 2", "choose 1")
    assert view(state, None)["points"] == [0, 0]
    assert view(state, None)["cards"][0] == 3


def test_another_players_skull_costs_a_card_drawn_by_lot() -> None:
    lost = set()
    for seed in range(20):
        state = play(begin(2), ROSE, SKULL, "bet 2")
        GAME.apply(state, 0, "choose 1", RandomDice(seed))
        lost |= set(view(state, 0)["lost"])
        assert view(state, None)["mover"] == 0, "the challenger starts the next round"
    assert lost == {"skull", "rose"}


def test_the_own_skull_costs_a_card_of_ones_choice() -> None:
    state = play(begin(2), SKULL, ROSE, "bet 1", "pass")
    assert view(state, 0)["ask"] == "lose"
    assert GAME.legal(state, 0) == ["lose skull", "lose rose", "lose any"]
    assert owned(play(copy.deepcopy(state), "lose rose"), 0) == (1, 2)
    assert owned(play(state, "lose skull"), 0) == (0, 3)


def test_the_choice_may_be_left_to_chance() -> None:
    state = play(begin(2), SKULL, ROSE, "bet 1", "pass")
    drawn = {
        owned(GAME.apply(copy.deepcopy(state), 0, "lose any", RandomDice(n)), 0) for n in range(9)
    }
    assert drawn == {(0, 3), (1, 2)}


# --- The end ---------------------------------------------------------------------------------


def test_two_points_win() -> None:
    state = play(begin(3), *[ROSE, ROSE, ROSE, "bet 1", "pass", "pass"] * 2)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.scores) == ((1, 2, 2), (2, 0, 0))
    assert outcome.why == "two points"
    assert not GAME.to_move(state)


def test_the_last_one_with_cards_wins() -> None:
    state = play(owning("rose", "skull"), ROSE, SKULL, "bet 2", "choose 1")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.why) == ((2, 1), "last one with cards")


def test_the_owner_of_the_skull_starts_where_it_put_the_challenger_out() -> None:
    state = play(owning("rose", "rose", "skull rose"), ROSE, ROSE, SKULL, "bet 3", "choose 2")
    assert state.inside == [1, 2]
    assert view(state, None)["mover"] == 2


def test_whoever_is_put_out_by_his_own_skull_names_the_starter() -> None:
    state = play(owning("skull", "rose", "rose", "rose"), SKULL, ROSE, ROSE, ROSE, "bet 4")
    assert GAME.to_move(state) == (0,)
    assert GAME.legal(state, 0) == ["start 1", "start 2", "start 3", "start any"]
    assert GAME.to_move(play(copy.deepcopy(state), "start 2")) == (2,)
    drawn = {
        GAME.to_move(GAME.apply(copy.deepcopy(state), 0, "start any", RandomDice(seed)))[0]
        for seed in range(20)
    }
    assert drawn == {1, 2, 3}


def test_who_is_out_is_not_asked_any_more() -> None:
    state = play(owning("skull", "rose", "rose rose"), SKULL, ROSE, ROSE, "bet 3", "start 2")
    assert GAME.to_move(play(state, ROSE)) == (1,)
    assert GAME.legal(play(state, ROSE), 2)[0] == ROSE


@pytest.mark.parametrize("seats", range(2, 7))
def test_there_are_no_more_rounds_than_cards_and_points_allow(seats: int) -> None:
    for seed in range(30):
        assert rounds(walked(seats, seed)) <= 5 * seats - 1


def walked(seats: int, seed: int, variant: str = "published") -> State:
    """Returns the end of a game of random moves."""
    lot, dice = random.Random(seed), RandomDice(seed)
    state = GAME.start(seats, dice, {"variant": variant})
    while movers := GAME.to_move(state):
        state = GAME.apply(state, movers[0], lot.choice(GAME.legal(state, movers[0])), dice)
    return state


def rounds(state: State) -> int:
    return len(view(state, None)["rounds"].splitlines())


# --- One challenge ---------------------------------------------------------------------------


def test_one_challenge_ends_with_it() -> None:
    met = play(begin(3, "challenge"), ROSE, ROSE, ROSE, "bet 1", "pass", "pass")
    outcome = GAME.outcome(met)
    assert outcome is not None
    assert (outcome.places, outcome.why) == ((1, 2, 2), "challenge met")
    failed = play(begin(3, "challenge"), SKULL, ROSE, ROSE, "bet 1", "pass", "pass")
    outcome = GAME.outcome(failed)
    assert outcome is not None
    assert (outcome.places, outcome.why) == ((3, 1, 1), "challenge failed")


def test_the_document_lets_everybody_speak_once_and_leaves_the_own_pile() -> None:
    state = play(begin(3, "document"), SKULL, ROSE, ROSE, ROSE, "bet 1", "bet 2", "bet 3")
    assert public(state, "phase", "mover") == ("choice", 0)
    assert not state.turned
    assert GAME.legal(state, 0) == ["choose 1", "choose 2"]


def test_the_document_ends_at_a_skull_or_an_emptied_pile() -> None:
    state = play(begin(3, "document"), ROSE, ROSE, SKULL, ROSE, "bet 1", "pass", "pass")
    emptied = GAME.outcome(play(copy.deepcopy(state), "choose 0", "choose 0"))
    assert emptied is not None
    assert (emptied.places, emptied.why) == ((2, 1, 2), "challenge met")
    skull = GAME.outcome(play(state, "choose 2"))
    assert skull is not None
    assert (skull.places, skull.why) == ((1, 3, 1), "challenge failed")


# --- Faults ----------------------------------------------------------------------------------


def test_play_goes_on_with_a_new_round_of_the_next_one_clockwise() -> None:
    state = play(begin(4), ROSE, ROSE, ROSE, ROSE, ROSE, "bet 1")
    state = GAME.without(state, 2, LeastDice())
    assert state.inside == [0, 1, 3]
    assert public(state, "phase", "mover") == ("placing", 3)
    assert sum(view(state, None)["piles"]) == 0
    assert view(state, None)["rounds"].endswith("2 gone\n")


def test_the_last_one_left_has_won() -> None:
    state = GAME.without(GAME.without(begin(3), 0, LeastDice()), 1, LeastDice())
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.why) == ((2, 2, 1), "last one with cards")


def test_a_fault_of_one_who_is_out_and_names_the_starter_just_goes_on() -> None:
    state = play(owning("skull", "rose", "rose", "rose"), SKULL, ROSE, ROSE, ROSE, "bet 4")
    state = GAME.without(state, 0, LeastDice())
    assert (state.inside, view(state, None)["mover"]) == ([1, 2, 3], 1)


@pytest.mark.parametrize("seats", [3, 6])
@pytest.mark.parametrize("at", [0, 3, 7, 12, 25, 40])
def test_a_game_ends_without_an_offender_wherever_it_leaves(seats: int, at: int) -> None:
    for seed in range(8):
        lot, dice = random.Random(seed), RandomDice(seed)
        state, number = GAME.start(seats, dice, {}), 0
        while movers := GAME.to_move(state):
            if number == at:
                state = GAME.without(state, movers[0], dice)
                assert movers[0] not in GAME.to_move(state)
            else:
                state = GAME.apply(state, movers[0], lot.choice(GAME.legal(state, movers[0])), dice)
            number += 1
        assert GAME.outcome(state) is not None


EVERY_MOVE = (
    *moves.PLACES, *moves.BETS, moves.PASS, *moves.CHOICES, *moves.LOSSES, moves.LOSE_ANY,
    *moves.STARTS, moves.START_ANY,
)  # fmt: skip


@pytest.mark.parametrize("variant", ["published", "challenge", "document"])
def test_a_move_is_taken_exactly_where_it_is_listed(variant: str) -> None:
    lot, dice = random.Random(1), RandomDice(1)
    for seats in (2, 4):
        state = GAME.start(seats, dice, {"variant": variant})
        while movers := GAME.to_move(state):
            legal = GAME.legal(state, movers[0])
            for move in EVERY_MOVE:
                tried = copy.deepcopy(state)
                if move in legal:
                    GAME.apply(tried, movers[0], move, LeastDice())
                else:
                    with pytest.raises(IllegalMove):
                        GAME.apply(tried, movers[0], move, LeastDice())
            state = GAME.apply(state, movers[0], lot.choice(legal), dice)


@pytest.mark.parametrize(
    "move", [None, True, 3, "", "bet 0", "bet -1", "bet 1.0", [], {}, "x" * 99]
)
def test_what_is_no_move_is_refused_in_a_short_sentence(move: Any) -> None:
    with pytest.raises(IllegalMove, match="is not possible now") as refusal:
        GAME.apply(begin(), 0, move, LeastDice())
    assert len(str(refusal.value)) < 200


def test_what_the_document_has_no_move_for_is_not_counted() -> None:
    assert GAME.turns([ROSE, "bet 1", "pass", "lose any", "choose 1", "start 2"]) == 4


def test_events_are_told_with_the_seat_that_they_are_about() -> None:
    state = play(begin(3), SKULL, ROSE, ROSE, "bet 1", "pass", "pass")
    told = GAME.describe("pass", view(state, None)).splitlines()
    assert told == ["passes", "the card of seat 0 is a skull", "seat 0 has failed"]
    state = play(state, "lose skull")
    assert GAME.describe("lose skull", view(state, None)) == "seat 0 loses a card for good"


def test_the_laboratory_is_told_how_every_challenge_ended() -> None:
    failed = [SKULL, ROSE, "bet 1", "pass", "lose rose", ROSE, SKULL, "bet 2", "choose 1"]
    met = [ROSE, ROSE, "bet 1", "pass"]
    state = play(begin(2), *failed, *met, *met)
    assert GAME.facts(state) == {
        "won_by_points": True,
        "last_one_in": False,
        "rounds": 4,
        "challenges": {"met": 2, "own_skull": 1, "other_skull": 1},
    }
    broken = GAME.without(begin(3), 1, LeastDice())
    assert GAME.facts(broken)["challenges"] == {"met": 0, "own_skull": 0, "other_skull": 0}


# --- Figures ---------------------------------------------------------------------------------

FIGURES = {2: (81.1, 4.95, 22.8), 3: (86.0, 8.26, 51.6), 6: (85.2, 19.66, 197.3)}
DOCUMENT = {2: 57.5, 4: 52.6, 6: 51.0}


@pytest.mark.parametrize("seats", FIGURES)
def test_random_players_come_near_the_table(seats: int) -> None:
    games = 1200 // seats
    played = [walked(seats, seed) for seed in range(games)]
    by_points, mean_rounds, _ = FIGURES[seats]
    assert abs(sum(state.ended == "two points" for state in played) / games - by_points / 100) < 0.1
    assert abs(sum(map(rounds, played)) / games - mean_rounds) < 0.1 * mean_rounds


@pytest.mark.parametrize("seats", DOCUMENT)
def test_random_players_come_near_the_documents_challenges(seats: int) -> None:
    played = [walked(seats, seed, "document") for seed in range(600)]
    failed = sum(state.ended == "challenge failed" for state in played) / 600
    assert abs(failed - DOCUMENT[seats] / 100) < 0.08
