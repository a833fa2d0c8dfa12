"""The views of an agent: positions with hidden cards, and nothing beyond them."""

from __future__ import annotations

import copy
import gc
import random
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import pytest

from matchbox.games.skull import Card, GamePhase, GameState, Move, Player
from matchbox.games.skull.challenge import State
from matchbox.games.skull.moves import KINDS
from matchbox.games.skull.player import ALIASES, GameView, answer, brief_of, report
from matchbox.games.skull.players import RandomAgent
from matchbox.games.skull.rules import GAME
from matchbox.games.skull.skullboard import MOVES
from tests.fakes import RandomDice
from tests.unit.games.skull.test_rules import ROSE, SKULL, begin, owned, play, public


def seen(state: State, seat: int | None = None) -> GameView:
    """Returns the position as the seat to move sees it, or as another seat sees it."""
    view: Any = GAME.view(state, GAME.to_move(state)[0] if seat is None else seat)
    return GameView(view)


def positions(seats: int, variant: str, seed: int) -> Iterator[State]:
    """Yields every position of a game of random moves in which a move of the document is due."""
    lot, dice = random.Random(seed), RandomDice(seed)
    state = GAME.start(seats, dice, {"variant": variant})
    while movers := GAME.to_move(state):
        if public(state, "phase")[0] in GamePhase.__members__:
            yield state
        state = GAME.apply(state, movers[0], lot.choice(GAME.legal(state, movers[0])), dice)


every_kind = pytest.mark.parametrize(
    "seats, variant", [(2, "published"), (4, "published"), (6, "published"), (3, "challenge"),
                       (5, "document")],
)  # fmt: skip


@every_kind
def test_the_moves_that_an_agent_is_shown_are_those_of_the_rules(seats: int, variant: str) -> None:
    for seed in range(6):
        for state in positions(seats, variant, seed):
            view, seat = seen(state), GAME.to_move(state)[0]
            wanted = [MOVES[str(text)] for text in GAME.legal(state, seat)]
            assert view.legal_moves() == wanted
            assert view.get_cur_player() is view.me is Player(seat)
            again = GameState(view.board, view.players, None, None, view.players.index(view.me))
            assert again.legal_moves() == wanted, "the board itself says the same"
            assert not view.is_over()
            assert all(view.is_valid_move(move) for move in wanted)


@every_kind
def test_every_move_can_be_tried_out_on_a_view(seats: int, variant: str) -> None:
    for state in positions(seats, variant, 1):
        view = seen(state)
        for move in view.legal_moves():
            after = view.apply_move(move)
            assert after.previous_state is view
            assert after.last_move == move
            assert after.is_over() or after.legal_moves()


@every_kind
def test_a_view_has_a_card_of_its_own_or_none_for_every_card(seats: int, variant: str) -> None:
    for state in positions(seats, variant, 2):
        for seat in state.inside:
            board = seen(state, seat).board
            for other in state.inside:
                pile = board.get_table().get_player(Player(other))
                hand = board.get_hand(Player(other))
                own: Any = GAME.view(state, other)
                if other == seat:
                    assert pile == [Card[kind] for kind in own["pile"]]
                    assert hand.count(Card.rose) == own["hand"]["rose"]
                else:
                    assert pile == [None] * len(own["pile"])
                    assert hand == [None] * sum(own["hand"].values())


@every_kind
def test_a_view_knows_who_has_bid_or_passed(seats: int, variant: str) -> None:
    spoke = 0
    for state in positions(seats, variant, 2):
        view = seen(state)
        bids: Any = GAME.view(state, None)
        have = {Player(seat) for seat, bid in enumerate(bids["bids"]) if bid}
        assert all((player in view.board.players_bet) == (player in have) for player in Player)
        assert view.board.bids == {
            Player(seat): bid for seat, bid in enumerate(bids["bids"]) if bid
        }
        spoke += len(have)
    assert spoke


@every_kind
def test_the_past_of_a_view_is_that_of_the_game(seats: int, variant: str) -> None:
    """Each earlier position of the round equals the board that the agent would have seen then."""
    shown: list[GameView] = []
    for state in positions(seats, variant, 3):
        view = seen(state, 0) if 0 in state.inside else None
        if len(state.story) == state.round_at:
            shown = []
        if view is None:
            continue
        past = view.previous_state
        for earlier in reversed(shown):
            assert past is not None
            assert past.board == earlier.board
            assert past.get_cur_player() is earlier.get_cur_player()
            past = past.previous_state
        assert past is None
        shown.append(seen(copy.deepcopy(state), 0))


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_past_reaches_to_the_first_card_also_where_the_round_put_one_out(seat: int) -> None:
    state = begin(3)
    for _ in range(3):
        play(state, SKULL, *["place rose"] * 2, "bet 1", "pass", "pass", "lose rose")
    play(state, SKULL, *["place rose"] * 2, "bet 1", "pass", "pass")
    assert (*public(state, "phase"), state.inside) == ("start", [1, 2])
    view = seen(state, seat)
    assert view.last_move == MOVES["pass"]
    past = view.previous_state
    for cards in (3, 3, 3, 2, 1, 0):
        assert past is not None
        assert sum(map(past.board.get_table().get_player_cards, past.players)) == cards
        past = past.previous_state
    assert past is None


@every_kind
def test_a_brief_is_the_view_also_where_somebody_has_left(seats: int, variant: str) -> None:
    for seed in range(4):
        lot, dice = random.Random(seed), RandomDice(seed)
        state, number = GAME.start(seats, dice, {"variant": variant}), 0
        while movers := GAME.to_move(state):
            view: Any = GAME.view(state, movers[0])
            assert GAME.brief(state, movers[0]) == brief_of(view)
            move = lot.choice(GAME.legal(state, movers[0]))
            gone = number == 9 and len(state.inside) > 2
            state = (
                GAME.without(state, movers[0], dice)
                if gone
                else GAME.apply(state, movers[0], move, dice)
            )
            number += 1


def test_whoever_waits_and_whoever_looks_back_sees_its_own_position() -> None:
    waiting = seen(play(begin(3), ROSE, SKULL), 1)
    assert waiting.get_cur_player() is Player.player_2
    assert waiting.legal_moves() == [Move(place=Card.skull), Move(place=Card.rose)]
    over = seen(play(begin(2, "challenge"), ROSE, SKULL, "bet 2", "choose 1"), 0)
    assert over.is_over()
    assert over.legal_moves() == []
    assert over.rounds[-1][-1] == "0 failed"


def test_the_moves_that_are_handed_out_are_a_list_of_ones_own() -> None:
    view = seen(begin(2))
    view.legal_moves().clear()
    assert len(view.legal_moves()) == 2


def test_a_card_placed_by_another_is_hidden_in_the_last_move() -> None:
    view = seen(play(begin(2), SKULL))
    assert view.last_move == Move.hidden()
    assert seen(play(begin(2), SKULL, ROSE, "bet 1")).last_move == Move(bet=1)
    assert seen(play(begin(2), SKULL), 0).last_move == Move(place=Card.skull)
    assert seen(begin(2)).last_move is None


def test_the_hand_of_another_cannot_be_asked_for() -> None:
    view = seen(play(begin(2), SKULL))
    assert view.board.has_card(view.me, Card.skull)
    with pytest.raises(ValueError, match="hidden"):
        view.board.has_card(Player.player_0, Card.skull)


def test_turning_over_a_hidden_card_tells_nothing() -> None:
    boards = []
    for hidden in (SKULL, ROSE):
        view = seen(play(begin(3), ROSE, hidden, ROSE, "bet 3"))
        after = view.apply_move(Move(choice=Player.player_1))
        assert after.board.last_chosen is None
        assert not after.is_over()
        boards.append(after.board)
    assert boards[0] == boards[1]


def test_a_view_tells_points_losses_and_earlier_rounds() -> None:
    state = play(begin(2), SKULL, ROSE, "bet 1", "pass", "lose rose", ROSE)
    view = seen(state, 0)
    assert view.lost == [Card.rose]
    assert view.cards == {Player.player_0: 3, Player.player_1: 4}
    assert view.points == {Player.player_0: 0, Player.player_1: 0}
    assert view.starter is Player.player_0
    assert view.log == ("0 place",)
    assert view.rounds == (
        ("0 place", "1 place", "0 bet 1", "1 pass", "0 skull", "0 failed", "0 lost"),
    )
    assert seen(state, 1).lost == []


# --- Nothing hidden --------------------------------------------------------------------------


PUBLIC = (
    "phase", "variant", "mover", "starter", "points", "cards", "pile_sizes", "bids", "table", "top",
)  # fmt: skip


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_states_that_look_alike_hold_the_same_public_facts(seats: int) -> None:
    differ, skull = 0, KINDS.index("skull")
    for number, state in enumerate(positions(seats, "published", 5)):
        for seat in (*range(seats), None):
            other = GAME.resample(state, seat, RandomDice(number))
            assert GAME.view(other, seat) == GAME.view(state, seat)
            assert [getattr(other, name) for name in PUBLIC] == [
                getattr(state, name) for name in PUBLIC
            ]
            for one in range(seats):
                own: Any = GAME.view(other, one)
                held = own["pile"].count("skull") + other.turned.count(2 * one + skull)
                assert held + own["hand"]["skull"] == owned(other, one)[0]
                assert len(other.lost[one]) == len(state.lost[one])
                assert sum(owned(other, one)) == own["cards"][one]
                if state.known[one] is not None and own["cards"][one]:
                    assert bool(owned(other, one)[0]) is state.known[one]
            differ += other.owned != state.owned
    assert differ, "a lost card may have been another one"


def test_what_everybody_saw_stays_true() -> None:
    state = play(begin(2), ROSE, SKULL, "bet 2", "choose 1")
    assert state.known == [None, True], "seat 0 has lost a card that nobody else saw"
    lost = {owned(GAME.resample(state, 1, RandomDice(seed)), 0) for seed in range(20)}
    assert lost == {(0, 3), (1, 2)}
    own = {owned(GAME.resample(state, 0, RandomDice(seed)), 0) for seed in range(20)}
    assert own == {owned(state, 0)}


def test_a_player_that_walks_everything_it_can_reach_finds_only_its_own_cards() -> None:
    """Two games that look alike to seat 1 give it objects that are equal in every reachable
    part."""
    state = play(begin(3), SKULL)
    other = play(begin(3), ROSE)
    assert reached(seen(state)) == reached(seen(other))


def reached(start: object) -> list[str]:
    """Returns the text of everything reachable from an object, except modules, classes and
    functions."""
    found, waiting, known = [], [start], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in known or isinstance(thing, ModuleType | type | FunctionType):
            continue
        known.add(id(thing))
        found.append(f"{type(thing).__name__} {thing!r}" if not hasattr(thing, "__dict__") else "")
        waiting += gc.get_referents(thing)
    return sorted(found)


def test_every_alias_of_the_document_is_there() -> None:
    names = {"skulltypes", "skullboard", "agent", "agent.base", "dlskull"}
    assert names <= set(ALIASES)


def test_an_agent_may_report_on_its_move_and_prints_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Telling(RandomAgent):
        def diagnostics(self) -> dict[str, object]:
            return {"weight": 3}

    view: Any = GAME.view(begin(2), 0)
    for agent, told in ((Telling(), {"weight": 3}), (RandomAgent(), {})):
        answer(agent, view, lambda move: None)
        assert report(agent) == told
    assert capsys.readouterr() == ("", "")
