"""The duel's rules, move by move, at tables that a test sets up."""

from __future__ import annotations

import random
from typing import Any

import pytest

from matchbox.errors import IllegalMove
from matchbox.games.creatures.kinds import CREATURES, DECK, NAMES, NUMBERS, TOO_MANY
from matchbox.games.creatures.rules import GAME
from matchbox.games.creatures.state import ATTACKED, UNTAPPED, Side, State
from tests.fakes import LeastDice, RandomDice


def cards(names: str) -> bytearray:
    """These cards as the rules hold them."""
    return bytearray(NUMBERS[name] for name in names.split())


def in_words(cards: bytearray) -> str:
    """The names of these cards."""
    return " ".join(NAMES[card] for card in cards)


def a_side(hand: str = "", field: str = "", lands: int = 0, **given: Any) -> Side:
    """A side with these cards; an asterisk after a creature taps it."""
    side = Side(cards(given.pop("deck", "Land Land Land")))
    side.hand = cards(hand)
    side.kinds = cards(field.replace("*", ""))
    side.numbers = bytearray(range(1, len(side.kinds) + 1))
    side.marks = bytearray(ATTACKED if "*" in name else UNTAPPED for name in field.split())
    side.discard = cards(given.pop("discard", ""))
    side.lands = lands
    for name, value in given.items():
        setattr(side, name, value)
    return side


def a_state(mine: Side | None = None, theirs: Side | None = None) -> State:
    state = State((mine or a_side(), theirs or a_side()))
    state.turn = 1
    return state


def play(state: State, *moves: Any) -> State:
    """Returns the state after these moves of the seats in turn."""
    for move in moves:
        state = GAME.apply(state, GAME.to_move(state)[0], move, LeastDice())
    return state


def view(state: State, seat: int | None) -> Any:
    return GAME.view(state, seat)


def moves(state: State) -> list[Any]:
    """Returns the legal moves of seat 0."""
    return list(GAME.legal(state, 0))


def field(state: State, seat: int) -> str:
    """The creatures of a seat; an asterisk marks the tapped ones."""
    side = state.sides[seat]
    marked = zip(side.kinds, side.marks, strict=True)
    return " ".join(NAMES[card] + "*" * bool(mark) for card, mark in marked)


# --- The start -------------------------------------------------------------------------------


def test_a_deck_has_twenty_lands_and_twenty_creatures() -> None:
    counted = {name: DECK.count(name) for name in DECK}
    wanted = {"Land": 20, "Bear": 6, "Knight": 6, "Elemental": 4, "Vampire": 2, "Dragon": 2}
    assert counted == wanted
    assert [(kind.cost, kind.power) for kind in CREATURES.values()] == [(n, n) for n in range(2, 7)]


def test_everybody_has_a_deck_of_its_own_and_the_first_has_drawn() -> None:
    state = GAME.start(2, RandomDice(1), {})
    assert [len(side.hand) for side in state.sides] == [8, 7]
    for side in state.sides:
        assert sorted(in_words(side.hand + side.deck).split()) == sorted(DECK)
        assert side.life == 20
    assert list(GAME.to_move(state)) == [0]


# --- A turn ----------------------------------------------------------------------------------


def test_a_land_is_played_once_a_turn() -> None:
    state = play(a_state(a_side("Land Land")), "land")
    assert state.sides[0].lands == 1
    assert in_words(state.sides[0].hand) == "Land"
    assert "land" not in GAME.legal(state, 0)
    with pytest.raises(IllegalMove, match="have played one this turn"):
        play(state, "land")


def test_lands_give_a_mana_each_and_only_once() -> None:
    state = play(a_state(a_side(lands=3)), ["tap", 2])
    assert (state.sides[0].tapped, state.sides[0].mana) == (2, 2)
    assert [move for move in moves(state) if move[0] == "tap"] == [["tap", 1]]
    with pytest.raises(IllegalMove, match="you have 1 untapped lands"):
        play(state, ["tap", 2])


def test_a_creature_costs_its_mana() -> None:
    state = play(a_state(a_side("Knight Bear", lands=4)), ["tap", 4], ["summon", "Knight"])
    assert field(state, 0) == "Knight"
    assert state.sides[0].mana == 1
    with pytest.raises(IllegalMove, match="that 1 mana pay for"):
        play(state, ["summon", "Bear"])


def test_several_creatures_can_be_summoned_in_a_turn() -> None:
    moves = ["tap", 5], ["summon", "Bear"], ["summon", "Knight"]
    state = play(a_state(a_side("Bear Knight", lands=5)), *moves)
    assert view(state, 0)["me"]["field"] == [[1, "Bear", ""], [2, "Knight", ""]]


def test_unused_mana_is_lost() -> None:
    state = play(a_state(a_side(lands=3)), ["tap", 3], "done")
    assert state.sides[0].mana == 0


def test_the_next_turn_untaps_all_and_draws() -> None:
    theirs = a_side(field="Bear* Knight*", lands=2, tapped=2, played=True, deck="Land Dragon")
    state = play(a_state(theirs=theirs), "done")
    assert field(state, 1) == "Bear Knight"
    assert (theirs.tapped, theirs.played, in_words(theirs.hand)) == (0, False, "Dragon")
    assert list(GAME.to_move(state)) == [1]
    assert state.turn == 2


def test_who_has_no_card_to_draw_has_lost() -> None:
    state = play(a_state(theirs=a_side(deck="")), "done")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.scores, outcome.why) == ((1, 2), (1, 0), "no card to draw")
    assert not GAME.to_move(state)
    assert GAME.describe("done", view(state, None)).splitlines()[-1] == (
        "the other player has no card to draw"
    )


# --- Attacks ---------------------------------------------------------------------------------


def test_a_creature_attacks_in_the_turn_of_its_summoning_and_is_tapped() -> None:
    moves = ["tap", 2], ["summon", "Bear"], ["attack", 1]
    state = play(a_state(a_side("Bear", lands=2)), *moves)
    assert state.sides[1].life == 18
    assert field(state, 0) == "Bear*"
    with pytest.raises(IllegalMove, match="no untapped creature of number 1"):
        play(state, ["attack", 1])


def test_who_has_no_untapped_creature_is_not_asked() -> None:
    state = play(a_state(a_side(field="Bear"), a_side(field="Knight*")), ["attack", 1])
    assert list(GAME.to_move(state)) == [0]
    assert state.sides[1].life == 18


def test_who_has_one_may_block() -> None:
    state = play(a_state(a_side(field="Bear"), a_side(field="Knight* Bear Dragon")), ["attack", 1])
    assert list(GAME.to_move(state)) == [1]
    assert GAME.legal(state, 1) == ["pass", ["block", 2], ["block", 3]]
    assert view(state, 1)["ask"] == "block"
    assert view(state, 0)["ask"] == "wait"
    assert view(state, None)["ask"] == "block"
    assert view(state, 1)["attacker"] == [1, "Bear"]
    assert state.sides[1].life == 20


def test_who_lets_it_through_loses_life() -> None:
    state = play(a_state(a_side(field="Dragon"), a_side(field="Bear")), ["attack", 1], "pass")
    assert state.sides[1].life == 14
    assert list(GAME.to_move(state)) == [0]
    assert field(state, 1) == "Bear"


@pytest.mark.parametrize(
    "attacker, blocker, left, killed",
    [("Bear", "Knight", ("", "Knight*"), "Bear"), ("Dragon", "Knight", ("Dragon*", ""), "Knight")],
)
def test_the_lower_power_is_destroyed(
    attacker: str, blocker: str, left: tuple[str, str], killed: str
) -> None:
    state = a_state(a_side(field=attacker), a_side(field=blocker))
    play(state, ["attack", 1], ["block", 1])
    assert (field(state, 0), field(state, 1)) == left
    assert in_words(state.sides[0].discard + state.sides[1].discard) == killed
    assert state.sides[1].life == 20
    assert GAME.describe(["block", 1], view(state, None)) == (
        f"blocks {attacker} with {blocker}\n{killed} is destroyed"
    )


def test_equal_powers_are_both_destroyed() -> None:
    state = play(a_state(a_side(field="Bear"), a_side(field="Bear")), ["attack", 1], ["block", 1])
    assert (field(state, 0), field(state, 1)) == ("", "")
    assert [in_words(side.discard) for side in state.sides] == ["Bear", "Bear"]
    assert "Bear and Bear are destroyed" in GAME.describe(["block", 1], view(state, None))


def test_nobody_blocks_twice_in_a_turn_but_again_in_the_next() -> None:
    state = a_state(a_side(field="Bear Bear"), a_side(field="Dragon"))
    play(state, ["attack", 1], ["block", 1], ["attack", 2])
    assert list(GAME.to_move(state)) == [0]
    assert state.sides[1].life == 18
    play(state, "done", "done")
    assert field(state, 1) == "Dragon"


def test_life_gone_ends_the_game_at_once() -> None:
    state = play(a_state(a_side(field="Bear Bear"), a_side(life=2)), ["attack", 2])
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.why) == ((1, 2), "no life left")
    assert view(state, None)["loser"] == 1
    assert [view(state, seat)["ask"] for seat in (0, 1, None)] == ["over"] * 3


# --- What is refused -------------------------------------------------------------------------

NO_MOVES: list[Any] = [
    None, True, 0, "", "draw", "pass", [], {}, ["attack"], ["attack", 1, 1], ["block", 1], [1, 2],
    ["land", 1], ["done", 1], ["tap", True], ["tap", "1"], ["tap", 0], ["tap", 9], ["attack", True],
    ["attack", 9], ["attack", None], ["summon", "Land"], ["summon", 3], ["summon", ["Bear"]],
    ["summon", "Dragon"], "tap", "attack", ["tap", 10**15], "a" * 300,
]  # fmt: skip


@pytest.mark.parametrize("move", NO_MOVES, ids=lambda move: f"{move!r:.30}")
def test_what_is_no_move_of_a_turn_is_refused_in_a_short_sentence(move: Any) -> None:
    state = a_state(a_side("Bear Land", field="Bear", lands=3, mana=2))
    before = view(state, 0)
    with pytest.raises(IllegalMove) as refusal:
        play(state, move)
    assert len(str(refusal.value)) < 160
    assert view(state, 0) == before


@pytest.mark.parametrize(
    "move", ["done", "land", ["attack", 1], ["block", 2], ["block", 9], ["pass", 1], "block", None]
)
def test_what_is_no_answer_to_an_attack_is_refused(move: Any) -> None:
    state = play(a_state(a_side(field="Bear"), a_side(field="Bear Knight*")), ["attack", 1])
    with pytest.raises(IllegalMove):
        play(state, move)
    assert list(GAME.to_move(state)) == [1]


def test_a_finished_game_tells_who_summoned_what() -> None:
    mine = a_side(field="Bear Knight*", discard="Bear")
    state = a_state(mine, a_side(life=2, discard="Dragon"))
    assert GAME.facts(state)["summons"]["Bear"] == {"W": 0, "L": 0}
    summons = GAME.facts(play(state, ["attack", 1]))["summons"]
    assert [summons[name] for name in ("Bear", "Knight", "Dragon", "Vampire")] == [
        {"W": 2, "L": 0}, {"W": 1, "L": 0}, {"W": 0, "L": 1}, {"W": 0, "L": 0},
    ]  # fmt: skip


def test_there_is_no_play_without_one_of_two() -> None:
    with pytest.raises(IllegalMove, match="one of its two players"):
        GAME.without(a_state(), 0, LeastDice())


# --- What is seen ----------------------------------------------------------------------------


def test_a_seat_sees_its_own_hand_and_of_the_other_a_number() -> None:
    state = a_state(a_side("Bear Land", mana=2), a_side("Dragon", deck="Land"))
    seen = view(state, 0)
    assert seen["me"]["hand"] == ["Bear", "Land"]
    assert seen["me"]["mana"] == 2
    assert seen["other"] == {
        "life": 20, "hand": 1, "deck": 1, "field": [], "lands": 0, "tapped": 0, "discard": [],
    }  # fmt: skip


def test_a_spectator_sees_no_hand() -> None:
    state = a_state(a_side("Bear Land"), a_side("Dragon"))
    assert [side["hand"] for side in view(state, None)["sides"]] == [2, 1]
    assert "Dragon" not in str(view(state, None))


def test_a_whole_game_never_shows_what_is_in_the_other_hand_or_in_a_deck() -> None:
    for seed in range(20):
        lot = random.Random(seed)
        state = GAME.start(2, RandomDice(seed), {})
        while movers := GAME.to_move(state):
            for seat in (0, 1):
                other = GAME.resample(state, seat, RandomDice(lot.randrange(1000)))
                assert view(other, seat) == view(state, seat)
                assert other.sides[seat].hand == state.sides[seat].hand
                for one, two in zip(other.sides, state.sides, strict=True):
                    assert sorted(one.hand + one.deck) == sorted(two.hand + two.deck)
            GAME.apply(state, movers[0], lot.choice(GAME.legal(state, movers[0])), LeastDice())


def test_a_resampled_state_goes_its_own_way() -> None:
    state = play(a_state(a_side(field="Bear"), a_side(field="Bear")), ["attack", 1])
    other = play(GAME.resample(state, 0, RandomDice(1)), ["block", 1])
    assert (field(other, 0), field(state, 0)) == ("", "Bear*")
    assert list(GAME.to_move(state)) == [1]


@pytest.mark.parametrize(
    "moves, told",
    [
        (["land"], "plays a land"),
        ([["tap", 2]], "taps for 2 mana"),
        ([["tap", 2], ["summon", "Bear"]], "summons Bear"),
        ([["attack", 1]], "attacks with Knight\nKnight does 3 damage, 17 life is left"),
        (["done"], "ends the turn"),
    ],
)
def test_a_move_is_told(moves: list[Any], told: str) -> None:
    state = play(a_state(a_side("Bear Land", field="Knight", lands=2)), *moves)
    assert GAME.describe(moves[-1], view(state, None)) == told


def test_a_pass_is_told_with_its_damage() -> None:
    state = play(a_state(a_side(field="Bear"), a_side(field="Bear")), ["attack", 1])
    assert GAME.describe(["attack", 1], view(state, None)) == "attacks with Bear"
    play(state, "pass")
    assert GAME.describe("pass", view(state, None)) == (
        "does not block Bear\nBear does 2 damage, 18 life is left"
    )


@pytest.mark.parametrize(
    "moves, turns",
    [([], 0), (["land", "done"], 1), (["done", "land"], 2), (["done", "done", ["attack", 1]], 3)],
)
def test_the_turn_in_which_the_game_ends_is_counted(moves: list[Any], turns: int) -> None:
    assert GAME.turns(moves) == turns


def test_a_turn_without_an_end_is_told_from_a_move_that_does_not_exist() -> None:
    with pytest.raises(IllegalMove, match=r"^more than 1000 actions in one turn; every loop must"):
        play(a_state(), TOO_MANY)
