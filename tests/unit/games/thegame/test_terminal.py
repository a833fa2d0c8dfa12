"""`simulate_game` against the plain loop, the figures, the batch, and a human at the terminal."""

from __future__ import annotations

import random
from statistics import fmean
from typing import Any

import pytest

import bench.plain.thegame as plain
import matchbox.games.thegame as thegame
from matchbox.games.thegame import (
    HumanPlayer,
    LegalMinimalPlayer,
    LegalTrickPlayer,
    Player,
    Table,
    simulate_game,
    strategies,
)
from matchbox.games.thegame.terminal import batch, simulate

pytestmark = pytest.mark.usefixtures("own_chance")

FIGURES = {
    "random": (12.24, 12.72, 12.68, 12.98, 13.17, 13.30, 13.36),
    "minimal": (7.79, 7.56, 6.68, 6.14, 5.76, 5.48, 5.32),
    "trick": (5.73, 5.08, 5.03, 4.81, 4.76, 4.70, 4.71),
}
"""The mean number of cards played under the rules article, for 1 to 7 players."""
LEGAL = {
    "article": (70.4, 69.0, 66.5, 71.2, 74.5, 75.9, 76.1),
    "backwards": (82.0, 86.6, 86.2, 89.7, 90.6, 90.4, 89.5),
    "published": (76.9, 79.3, 75.0, 80.0, 82.2),
}
"""The mean number of cards played by legal minimal, for 1 to 7 players."""


def mean(players: int, strategy: Any, rules: str = "article", games: int = 150) -> float:
    return fmean(simulate_game(players, strategy, rules) for _ in range(games))


# --- The game --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(1, 8))
@pytest.mark.parametrize("name", strategies)
def test_a_game_goes_as_in_the_plain_loop(name: str, players: int) -> None:
    loop: Any = plain
    for seed in range(20):
        random.seed(seed)
        ours = simulate_game(players, name)
        random.seed(seed)
        assert ours == loop.simulate_game(players, loop.strategies[name])


@pytest.mark.parametrize("players", [1, 4])
def test_a_whole_game_of_allowed_plays_goes_as_in_the_plain_loop(players: int) -> None:
    loop: Any = plain
    for seed in range(20):
        random.seed(seed)
        ours = simulate_game(players, LegalMinimalPlayer())
        random.seed(seed)
        assert ours == loop.simulate_game(players, loop.legal_strategy)


@pytest.mark.parametrize("name", FIGURES)
def test_the_articles_figures_come_out(name: str) -> None:
    for players, wanted in enumerate(FIGURES[name], start=1):
        assert abs(mean(players, name) - wanted) < 1.2


def test_random_rises_with_the_players_and_the_others_fall() -> None:
    alone, many = ({name: mean(players, name, games=400) for name in FIGURES} for players in (1, 7))
    assert alone["random"] < many["random"]
    assert alone["minimal"] > many["minimal"]
    assert alone["trick"] > many["trick"]
    assert max(many, key=lambda name: many[name]) == "random"


@pytest.mark.parametrize("rules", LEGAL)
def test_allowed_plays_go_much_further(rules: str) -> None:
    for players, wanted in enumerate(LEGAL[rules], start=1):
        assert abs(mean(players, LegalMinimalPlayer(), rules, 25) - wanted) < 12


@pytest.mark.parametrize("rules", LEGAL)
def test_random_comes_to_little_under_any_rules(rules: str) -> None:
    assert 11 < mean(3, "random", rules, 200) < 16


def test_a_trick_on_the_top_card_helps_where_the_rules_know_it() -> None:
    with_tricks = mean(2, LegalTrickPlayer(), "backwards", 150)
    assert with_tricks > mean(2, LegalTrickPlayer(), "article", 150) + 2


def test_the_end_of_a_game_is_told() -> None:
    whys = {simulate(3, "minimal", "article")[1] for _ in range(20)}
    assert whys == {"invalid"}
    whys = {simulate(3, LegalMinimalPlayer(), "backwards")[1] for _ in range(60)}
    assert "blocked" in whys
    assert whys <= {"blocked", "won"}


def test_a_won_game_has_98_cards() -> None:
    scores = [simulate(5, LegalMinimalPlayer(), "backwards") for _ in range(120)]
    assert ("won", True) in {(why, cards == 98) for cards, why in scores}
    assert all((why == "won") == (cards == 98) for cards, why in scores)


def test_hints_are_asked_for_between_turns_where_they_are_on() -> None:
    asked: list[tuple[int, int]] = []

    class Listening(LegalMinimalPlayer):
        def hint(self, table: Table) -> list[str]:
            asked.append((table.seat, table.mover))
            return ["none", "please leave it", "none", "none"]

        def play(self, table: Table) -> tuple[int, int]:
            others = [hint for seat, hint in enumerate(table.hints) if seat != table.seat]
            assert all(hint is None or hint[1] == "please leave it" for hint in others)
            return super().play(table)

    simulate(3, Listening(), "backwards", hints=True)
    assert asked[:4] == [(1, 0), (2, 0), (0, 1), (2, 1)]
    assert all(seat != mover for seat, mover in asked)


@pytest.mark.parametrize(
    "players, strategy, rules, told",
    [
        (0, "random", "article", "for 1 to 7 players, not 0"),
        (8, "random", "article", "for 1 to 7 players, not 8"),
        (2, "best", "article", "there is no strategy 'best'; there are random, minimal, trick"),
        (2, 3, "article", "3 is not a strategy"),
        (2, "random", "mine", "option rules of thegame cannot be 'mine'"),
        (2, lambda game, hand: None, "article", "the strategy returned None"),
    ],
)
def test_what_cannot_be_played_is_a_value_error(
    players: int, strategy: Any, rules: str, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        simulate_game(players, strategy, rules)


def test_what_a_strategy_raises_is_raised_to_its_author() -> None:
    def strategy(game: Any, hand: Any) -> tuple[int, int]:
        raise KeyError("boom")

    with pytest.raises(KeyError, match="boom"):
        simulate_game(2, strategy)


def test_a_batch_is_a_line_for_every_number_of_players_and_strategy() -> None:
    rows = [line.split("\t") for line in batch(2)]
    assert len(rows) == 2 * 7 * 3
    assert [row[:2] for row in rows[:4]] == [
        ["1", "random"], ["1", "minimal"], ["1", "trick"], ["2", "random"],
    ]  # fmt: skip
    assert all(0 <= int(cards) <= 98 for *_, cards in rows)


def test_the_documents_module_has_its_names() -> None:
    assert set(thegame.__all__) <= set(vars(thegame))
    assert list(thegame.strategies) == ["random", "minimal", "trick"]


# --- A human ---------------------------------------------------------------------------------


class Answers:
    """Gives the lines that the human types, one by one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
        self.left = list(lines)
        monkeypatch.setattr("builtins.input", self.type)

    def type(self, prompt: str) -> str:
        print(prompt)
        return self.left.pop(0)


def a_table(hand: list[int], **more: Any) -> Table:
    view = {
        "ask": "play", "piles": [[1, 30], [1], [100], [100, 60]], "hand": hand, "hands": [3, 7],
        "deck": 9, "seat": 0, "mover": 0, "owed": 1, "rules": "article", "last": None,
        "hints": [None, ["none", "please leave it", "none", "none"]], **more,
    }  # fmt: skip
    return Table(view)


def test_a_human_is_shown_the_table_and_asked_until_the_play_is_allowed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = Answers(
        monkeypatch, "", "20", "x y", f"{'9' * 5000} 0", "21 0", "20 9", "20 0", "20 -1", " 20  3 "
    )
    assert HumanPlayer().play(a_table([97, 20, 50])) == (3, 1)
    assert not answers.left
    told = capsys.readouterr().out
    for line in (
        "Pile 0 rises from 30; you can lay 50, 97.", "Pile 3 falls from 60; you can lay 20, 50.",
        "The deck has 9 cards. You hold 20 50 97.", "Which card on which pile, such as `97 0`?",
        "Player 1 says: please leave it (1).", "You do not have the 21.",
        "The piles are 0, 1, 2 and 3.", "The 20 does not fit on pile 0.", "Type the card's number",
    ):  # fmt: skip
        assert line in told


def test_a_human_is_told_what_the_turn_requires_and_what_goes_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Answers(monkeypatch, "20 0", "20 0")
    assert HumanPlayer().play(a_table([20, 50], rules="published", owed=2)) == (0, 0)
    told = capsys.readouterr().out
    assert "Pile 0 rises from 30; you can lay 20 (ten back), 50." in told
    assert "You must lay 2 cards." in told
    HumanPlayer().play(a_table([20, 50], rules="published", owed=1))
    assert "You must lay" not in capsys.readouterr().out


def test_a_human_may_end_the_turn_or_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    Answers(monkeypatch, "", "20 0", "20 3")
    assert HumanPlayer().more(a_table([20, 50], owed=0)) is None
    assert HumanPlayer().more(a_table([20, 50], owed=0)) == (3, 0)


def test_a_human_may_still_end_the_turn_after_a_play_that_is_not_allowed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = Answers(monkeypatch, "20 0", "")
    assert HumanPlayer().more(a_table([20, 50], owed=0)) is None
    assert not answers.left
    assert capsys.readouterr().out.count("or press Enter to end your turn") == 2


def test_a_human_says_a_word_for_each_pile(monkeypatch: pytest.MonkeyPatch) -> None:
    Answers(monkeypatch, "", "L", "what", "close", "")
    said = HumanPlayer().hint(a_table([20, 50], mover=1))
    assert said == ["none", "please leave it", "I can go close", "none"]


def test_a_human_plays_a_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    class Typing(HumanPlayer):
        def play(self, table: Table) -> tuple[int, int]:
            pile, place = LegalMinimalPlayer().play(table)
            Answers(monkeypatch, f"{table.hand[place]} {pile}")
            return super().play(table)

    assert isinstance(HumanPlayer(), Player)
    assert simulate_game(1, Typing()) > 30
