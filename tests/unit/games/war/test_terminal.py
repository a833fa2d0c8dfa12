"""The notebook's `deal`, `play` and `game`, and a human at the terminal."""

from __future__ import annotations

import random
import re
import runpy
from collections.abc import Sequence
from typing import Any

import pytest

from matchbox.games.war import (
    HighestPlayer,
    HumanPlayer,
    Player,
    Position,
    RandomPlayer,
    play_game,
    terminal,
)
from tests.builders import CHECKOUT
from tests.unit.games.war.test_rules import DEAL_1, DEAL_4

pytestmark = pytest.mark.usefixtures("own_chance")


def test_a_deal_is_two_hands_of_26_that_add_up() -> None:
    first, second = terminal.deal()
    assert len(first) == len(second) == 26
    assert sum(first) + sum(second) == 364
    assert sorted(first + second) == sorted(list(range(1, 14)) * 4)


def test_play_returns_both_totals_of_both_players_and_the_winner(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert terminal.play(DEAL_1) == (185, 179, 212, 152, 1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Player 1 holds 10 8 4 7 ")
    assert lines[0].endswith(": 185 in all.")
    assert lines[2] == "10 + 8 = 18 against 12 + 13 = 25: player 2 takes the round; points 0 to 43"
    assert len(lines) == 2 + 13 + 2
    assert lines[-2:] == ["Final totals: player 1 has 212, player 2 has 152.", "Player 1 wins."]


def test_a_tie_and_a_draw_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    half = [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] * 2
    assert terminal.play((half, half)) == (182, 182, 182, 182, 0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].endswith("a tie, the cards stay open; points 0 to 0")
    assert lines[-3].endswith("a tie, each takes its own cards back; points 182 to 182")
    assert lines[-2:] == ["Final totals: player 1 has 182, player 2 has 182.", "It is a draw."]


def test_games_are_counted_as_numbers_and_a_draw_adds_no_row() -> None:
    games = terminal.Games()
    assert games.game(DEAL_1).winners == [("W", 1, 185, 212)]
    assert games.game(DEAL_4).draws == 0
    half = [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] * 2
    GameWinner, GameLoser, GameDraws = games.game((half, half))
    assert (GameWinner, GameLoser, GameDraws) == (games.WinnerTotals, games.LoserTotals, 1)
    assert games.WinnerTotals == [("W", 1, 185, 212), ("W", 2, 181, 191)]
    assert games.LoserTotals == [("L", 2, 179, 152), ("L", 1, 183, 173)]
    assert games.count_draws == 1


def test_a_game_plays_the_hands_that_were_dealt_last_once() -> None:
    first, second = terminal.deal()
    dealt = sum(first), sum(second)
    first.clear()
    before = [*terminal.WinnerTotals]
    winners, losers, _ = terminal.game()
    if len(winners) > len(before):
        (_, who, own, _), (_, _, other, _) = winners[-1], losers[-1]
        assert (own, other) == (dealt if who == 1 else dealt[::-1])
    assert terminal._games.unplayed_deal is None
    terminal.play()
    assert terminal._games.unplayed_deal is None, "play() deals for itself"


def test_two_counts_do_not_know_each_other() -> None:
    one, two = terminal.Games(), terminal.Games()
    one.game()
    assert not two.WinnerTotals
    assert two.count_draws == 0


def test_a_game_is_silent_and_repeats_with_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    first = [terminal.Games().game() for _ in range(5)]
    random.seed(2)
    assert first == [terminal.Games().game() for _ in range(5)]
    assert not capsys.readouterr().out


@pytest.mark.parametrize("hands", [([1], [2]), ([1] * 26, [2] * 26), (DEAL_1[0], DEAL_1[0])])
def test_hands_that_are_not_the_deck_are_refused(hands: tuple[list[int], list[int]]) -> None:
    with pytest.raises(ValueError, match="26 cards"):
        terminal.play(hands)


def test_the_documents_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    winners = len(terminal.WinnerTotals)
    before = winners + terminal.count_draws
    names = runpy.run_path(str(CHECKOUT / "tests/documents/war/notebook.py"))
    assert len(terminal.WinnerTotals) + terminal.count_draws == before + 20
    assert names["WinnerTotals"] is names["GameWinner"] is terminal.WinnerTotals
    assert names["GameDraws"] == terminal.count_draws
    printed = capsys.readouterr().out
    deals = re.findall(r"^\[([^\]]*)\] \[([^\]]*)\]$", printed, re.MULTILINE)
    assert len(deals) == 20
    shown = {
        (number, sum(map(int, hand.split(","))))
        for deal in deals
        for number, hand in enumerate(deal, 1)
    }
    won = {(player, initial) for _, player, initial, _ in names["GameWinner"][winners:]}
    assert won
    assert won <= shown, "the deals that were shown were played"
    assert names["GameWinner"][-1][0] == "W"
    assert names["winner"] in (0, 1, 2)
    assert "takes the round" in printed


def test_what_the_terminal_does_not_have_is_missed_by_name() -> None:
    with pytest.raises(AttributeError, match="count_wins"):
        _ = terminal.count_wins


# --- A game of players ------------------------------------------------------------------------


def test_a_game_of_players_is_printed_and_its_winner_returned(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = set()
    for _ in range(40):
        winner = play_game(HighestPlayer(), RandomPlayer())
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 13 + 2
        end = "It is a draw." if winner is None else f"Player {winner + 1} wins."
        assert lines[-1] == end
        found.add(winner)
    assert {0, 1} <= found


def test_a_game_of_players_may_be_silent_and_repeats_with_its_seed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = [play_game(RandomPlayer(), RandomPlayer(), print_details=False) for _ in range(9)]
    assert not capsys.readouterr().out
    random.seed(2)
    assert first == [play_game(RandomPlayer(), RandomPlayer(), False) for _ in range(9)]


@pytest.mark.parametrize(
    "laid, told",
    [("13 13", "returned something of type str"), ((14, 1), "no card 14"), ((0, 1), "no card 0")],
)
def test_a_fault_is_raised_to_the_author(laid: Any, told: str) -> None:
    class Wrong(Player):
        def lay(self, position: Position) -> Any:
            return laid

    with pytest.raises(ValueError, match=f"player 2: .*{told}"):
        play_game(HighestPlayer(), Wrong())
    with pytest.raises(AssertionError, match="is not an instance of Player"):
        play_game(HighestPlayer(), laid)


# --- A human ---------------------------------------------------------------------------------


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Sets the lines that the human types."""
    typed = iter(lines)
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))


def a_position(own: Sequence[int] = (), other: Sequence[int] = (), *took: bool | None) -> Position:
    return Position(
        {
            "hand": [9, 5, 5, 1],
            "other": [8, 6, 3, 2],
            "points": [0, 31 * took.count(False)],
            "open": took.count(None),
            "played": [list(own), list(other)],
            "took": list(took),
        }
    )


def test_a_human_names_two_cards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "5, 5")
    assert HumanPlayer().lay(a_position([13, 2], [12, 4], False)) == (5, 5)
    out = capsys.readouterr().out
    assert "You have 9 5 5 1, and 0 points." in out
    assert "The other player has 8 6 3 2, and 31 points." in out


def test_a_human_is_asked_until_the_cards_are_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "", "5", "a b", "9 9", "13 1", "1 9")
    assert HumanPlayer().lay(a_position()) == (1, 9)
    out = capsys.readouterr().out
    assert out.count("Type two numbers") == 3
    assert "You do not have 9 and 9." in out


def test_a_human_is_told_every_play_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    human = HumanPlayer()
    answers(monkeypatch, "9 1", "9 1")
    human.lay(a_position([13, 2], [12, 4], False))
    human.lay(a_position([13, 2, 6, 5], [12, 4, 10, 1], False, None))
    out = capsys.readouterr().out
    assert out.count("You laid 13 + 2 = 15, the other player 12 + 4 = 16: the other player") == 1
    assert "You laid 6 + 5 = 11, the other player 10 + 1 = 11: a tie." in out
    assert "After a tie, 22 points lie open." in out
