"""The document's types: moves, charts, boards, and the engine of one challenge."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from matchbox.games.skull import Board, Card, Chart, GamePhase, GameState, Move, Player

ONE, TWO, THREE = Player.player_0, Player.player_1, Player.player_2
SKULL, ROSE = Move(place=Card.skull), Move(place=Card.rose)
PASS = Move.pass_bet()


def bet(number: int) -> Move:
    return Move(bet=number)


def played(players: int, *moves: Move) -> GameState:
    """The position after these moves."""
    state = GameState.new_game(range(players))
    for move in moves:
        state = state.apply_move(move)
    return state


def test_phases_follow_each_other() -> None:
    assert GamePhase.placing.next is GamePhase.betting
    assert GamePhase.betting.next is GamePhase.choice
    assert GamePhase.choice.next is None


def test_there_is_a_player_for_every_seat() -> None:
    assert [player.value for player in Player] == list(range(6))
    assert str(Player.player_3) == "seat 3"


def test_the_cards_have_the_documents_values() -> None:
    assert [(card.name, card.value) for card in Card] == [("skull", 1), ("rose", 2)]


# --- Moves -----------------------------------------------------------------------------------


def test_a_move_is_exactly_one_thing() -> None:
    assert Move(choice=ONE).is_choice
    assert not ROSE.is_choice
    assert PASS.is_pass
    wrong: list[dict[str, Any]] = [
        {},
        {"place": Card.rose, "bet": 1},
        {"bet": 1, "is_pass": True},
        {"bet": True},
    ]
    for given in wrong:
        with pytest.raises(ValueError):
            Move(**given)


def test_moves_are_compared_by_value() -> None:
    assert Move(place=Card.rose) == ROSE
    assert len({Move(bet=2), Move(bet=2), Move(bet=3), Move.pass_bet(), PASS}) == 3


def test_a_move_says_what_it_is() -> None:
    assert [str(move) for move in (SKULL, bet(2), PASS, Move(choice=TWO), Move.hidden())] == [
        "place skull", "bet 2", "pass", "choose seat 1", "place a hidden card",
    ]  # fmt: skip


# --- Charts ----------------------------------------------------------------------------------


def test_hands_are_full_and_the_table_is_empty() -> None:
    assert Chart(table=False).get_total_cards() == 24
    assert Chart(table=False, default_hand=False).get_total_cards() == 0
    table = Chart(players=[ONE, TWO])
    assert (table.get_num_players(), table.get_total_cards()) == (2, 0)


def test_the_table_gives_back_the_top_card_and_a_hand_the_one_that_is_named() -> None:
    table, hands = Chart(players=[ONE]), Chart(table=False, players=[ONE])
    table.add(ONE, Card.skull)
    table.add(ONE, Card.rose)
    assert table.remove(ONE) is Card.rose
    assert table.get_player(ONE) == [Card.skull]
    assert hands.remove(ONE, Card.skull) is Card.skull
    assert not hands.has_card(ONE, Card.skull)
    assert hands.get_player_cards(ONE) == 3
    with pytest.raises(ValueError, match="has no skull here"):
        hands.remove(ONE, Card.skull)
    with pytest.raises(ValueError, match="has no card here"):
        Chart(players=[ONE]).remove(ONE)


def test_a_chart_has_the_documents_attributes() -> None:
    table, hands = Chart(players=[ONE, TWO]), Chart(table=False, players=[ONE, TWO])
    assert (table.ordered, hands.ordered) == (True, False)
    assert (table.chart_cards, hands.chart_cards) == (0, 8)
    table.add(ONE, hands.remove(ONE, Card.skull))
    assert (table.chart_cards, hands.chart_cards) == (1, 7)
    assert table._chart == {ONE: [Card.skull], TWO: []}


def test_a_chart_hands_out_copies() -> None:
    hands = Chart(table=False, players=[ONE])
    hands.get_player(ONE).clear()
    hands.copy().remove(ONE)
    assert hands.get_player_cards(ONE) == 4


def test_order_counts_on_the_table_alone() -> None:
    for is_table, same in ((True, False), (False, True)):
        one, two = (Chart(is_table, False, [ONE]) for _ in range(2))
        for card in (Card.rose, Card.skull):
            one.add(ONE, card)
        for card in (Card.skull, Card.rose):
            two.add(ONE, card)
        assert (one == two) is same
        assert (hash(one) == hash(two)) is same
    assert str(one) == "seat 0: rose, skull"


def test_a_hidden_card_stands_for_any_and_is_not_told() -> None:
    hands = Chart(False, False, [ONE])
    hands.add(ONE, None)
    with pytest.raises(ValueError, match="hidden"):
        hands.has_card(ONE, Card.skull)
    assert hands.remove(ONE, Card.skull) is Card.skull
    assert hands.get_player_cards(ONE) == 0


# --- Boards ----------------------------------------------------------------------------------


def test_a_board_begins_with_placing() -> None:
    board = Board([ONE, TWO])
    assert (board.phase, board.players_bet, board.chosen_cards) == (GamePhase.placing, set(), 0)
    assert (board.top_bet, board.last_chosen) == ((None, -1), None)
    assert board.has_card(ONE, Card.skull)
    assert not board.all_cards_chosen()


def test_a_board_knows_who_has_bid_or_passed() -> None:
    state = played(3, ROSE, ROSE, ROSE, bet(1), PASS)
    assert state.board.players_bet == {ONE, TWO}
    assert ONE in state.board.players_bet
    assert state.board.bids == {ONE: 1, TWO: -1}
    before = state.previous_state
    assert before is not None
    assert before.board.players_bet == {ONE}, "a later position does not change an earlier one"
    assert before.board.bids == {ONE: 1}


def test_boards_differ_by_bids_and_phase_too() -> None:
    one, two = played(3, ROSE, ROSE, ROSE), played(3, ROSE, ROSE, ROSE)
    assert one.board == two.board
    assert hash(one.board) == hash(two.board)
    assert one.apply_move(bet(1)).board != one.board
    assert one.apply_move(bet(1)).board != one.apply_move(bet(2)).board


def test_a_board_can_be_copied_deeply() -> None:
    board = played(2, ROSE, SKULL).board
    assert copy.deepcopy(board) == board
    other = board.copy()
    other.place_card(ONE, Card.skull)
    assert board.get_hand(ONE).count(Card.skull) == 1


def test_only_the_challenger_turns_cards_over() -> None:
    board = played(2, ROSE, SKULL, bet(2)).board
    assert board.top_bet == (ONE, 2)
    assert board.chosen_cards == 1
    with pytest.raises(ValueError, match="not the challenger"):
        board.choose_card(TWO, ONE)
    assert board.choose_card(ONE, TWO) is Card.skull
    assert board.last_chosen is Card.skull


# --- One challenge ---------------------------------------------------------------------------


def test_a_position_stays_as_it_was_after_a_move() -> None:
    first = GameState.new_game([ONE, TWO])
    second = first.apply_move(SKULL)
    assert first.previous_state is None
    assert first.legal_moves() == [SKULL, ROSE]
    assert first.get_cur_player() is ONE
    assert (second.previous_state, second.last_move) == (first, SKULL)
    assert second.get_cur_player() is TWO
    assert first.get_next_player() is TWO
    assert first.get_cur_player() is ONE


def test_bots_may_be_given_by_player_or_in_a_row() -> None:
    assert GameState.new_game({THREE: object(), ONE: object()}).players == (THREE, ONE)
    assert GameState.new_game([object(), object()]).players == (ONE, TWO)


def test_legal_moves_come_in_the_documents_order() -> None:
    state = played(3, ROSE, ROSE, ROSE)
    assert state.legal_moves() == [SKULL, ROSE, bet(1), bet(2), bet(3)]
    assert state.apply_move(bet(2)).legal_moves() == [bet(3), PASS]
    chosen = played(3, ROSE, ROSE, ROSE, bet(2), PASS, PASS)
    assert chosen.legal_moves() == [Move(choice=TWO), Move(choice=THREE)]
    assert chosen.get_cur_player() is chosen.get_next_player() is ONE


def test_an_illegal_move_is_refused() -> None:
    state = played(3, ROSE, ROSE, ROSE, bet(2))
    for move in (bet(2), bet(4), ROSE, Move(choice=ONE)):
        assert not state.is_valid_move(move)
        with pytest.raises(ValueError, match="is not possible"):
            state.apply_move(move)
    chosen = played(3, ROSE, ROSE, ROSE, bet(2), PASS, PASS)
    assert not chosen.is_valid_move(PASS)
    assert not chosen.is_valid_move(Move(choice=ONE))


def test_bids_go_round_until_all_others_have_passed() -> None:
    state = played(3, *[ROSE] * 6, bet(1), bet(2), PASS, bet(3))
    assert state.get_cur_player() is TWO
    assert state.apply_move(PASS).board.phase is GamePhase.choice


def test_a_challenge_is_met_with_as_many_roses_as_bid() -> None:
    state = played(3, ROSE, ROSE, ROSE, bet(2), PASS, PASS, Move(choice=TWO))
    assert state.is_over()
    assert state.board.all_cards_chosen()
    assert state.legal_moves() == []


def test_a_skull_as_the_last_card_is_no_success() -> None:
    state = played(2, ROSE, SKULL, bet(2), Move(choice=TWO))
    assert state.is_over()
    assert state.board.skull_is_turned()


def test_the_own_pile_comes_first() -> None:
    assert played(2, SKULL, ROSE, bet(1), PASS).board.skull_is_turned()


def test_an_emptied_pile_is_no_end() -> None:
    assert not played(3, ROSE, ROSE, ROSE, bet(3), Move(choice=TWO)).is_over()


@pytest.mark.parametrize("players", range(2, 7))
def test_random_challenges_end(players: int) -> None:
    lot = random.Random(players)
    for _ in range(30):
        state = GameState.new_game(range(players))
        while not state.is_over():
            state = state.apply_move(lot.choice(state.legal_moves()))
        assert state.board.skull_is_turned() or state.board.all_cards_chosen()
        assert str(state)
