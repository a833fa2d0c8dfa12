"""`matchbox play` with a person: events are printed as they happen, between the questions."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from matchbox.games import war
from tests.unit.cli.conftest import Ran, Run
from tests.unit.worker.bots import turning

TABLES = {
    "bomb": "human scared",
    "creatures": "autopilot human",
    "skull": "bluffer human random",
    "thegame": "human legal --option rules=published",
    "war": "highest human",
}
"""The seats and the options, by game."""

Typing = Callable[[str], str]
"""A person's answer to a question."""


def moves(prompt: str) -> str:
    """Returns a legal answer, read from the question alone."""
    if example := re.search(r"such as `?(\d+ \d+)", prompt):
        return "" if "press Enter" in prompt else example[1]
    if command := re.match(r"(LAND|TAP|SUMMON \w+|ATTACK \w+|DONE)", prompt):
        return command[0]
    if "Do you block" in prompt:
        return "n"
    if "Where does the bomb go" in prompt:
        return "0"
    if "Play" in prompt or "press Enter" in prompt.lower():
        return ""
    if seats := re.findall(r"seat (\d)", prompt):
        return str(seats[0])
    if bid := re.search(r"a bid (?:from|of) (\d)", prompt):
        return str(bid[1])
    return next(letter for letter in "rps" if f"[{letter}]" in prompt)


def test_a_game_without_prompts_is_named(matchbox: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(war, "HumanPlayer")
    ran = matchbox("play", "war", *TABLES["war"].split(), "--box", "none")
    assert ran.code == 1
    assert "nobody can play war at a terminal, because matchbox.games.war has no" in ran.err


@pytest.mark.parametrize("human", [type("HumanPlayer", (), {}), lambda: None])
def test_a_person_who_is_no_player_is_the_games_mistake(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, human: object
) -> None:
    monkeypatch.setattr(war, "HumanPlayer", human)
    ran = matchbox("play", "war", *TABLES["war"].split(), "--box", "none")
    assert (ran.code, ran.out) == (1, "")
    assert "matchbox.games.war.HumanPlayer is no subclass of" in ran.err


@pytest.fixture
def sit_down(matchbox: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Plays a game of TABLES with a person who types these answers."""

    def plays(game: str, typing: Typing = moves, *more: object) -> Ran:
        def ask(prompt: object = "") -> str:
            print(prompt, end="")
            return typing(str(prompt))

        monkeypatch.setattr("builtins.input", ask)
        return matchbox("play", game, *TABLES[game].split(), "--box", "none", "--seed", 4, *more)

    return plays


def two_parts(out: str) -> tuple[list[str], list[str]]:
    """Returns the lines printed during the game, and the lines of the whole game printed after
    it."""
    live, whole = out.split("\nThe whole game:\n")
    return live.splitlines(), whole.splitlines()


def bullets(lines: list[str]) -> list[str]:
    """The events among the lines."""
    return [line for line in lines if line.startswith("  - ")]


@pytest.mark.parametrize("game", TABLES)
def test_every_event_is_printed_once_while_the_game_runs(
    sit_down: Callable[..., Ran], game: str
) -> None:
    told = sit_down(game)
    assert told.code == 0
    live, whole = two_parts(told.out)
    assert bullets(live) == bullets(whole)
    assert len(bullets(live)) > 10


@pytest.mark.parametrize("game", TABLES)
def test_each_question_comes_after_what_happened_before_it(
    sit_down: Callable[..., Ran], game: str
) -> None:
    asked: list[str] = []

    def typing(prompt: str) -> str:
        asked.append(prompt)
        return moves(prompt)

    live, _ = two_parts(sit_down(game, typing).out)
    text = "\n".join(live)
    between = []
    for prompt in asked:
        before, _, text = text.partition(prompt)
        between.append(before)
    assert text.strip(), "the end of the game is told"
    assert all("  - " in part for part in between[1:])
    begun = "autopilot:\n  - plays a land" if game == "creatures" else "human:\n"
    assert between[0].startswith(begun)


@pytest.mark.parametrize("game", TABLES)
def test_others_are_called_by_their_names(sit_down: Callable[..., Ran], game: str) -> None:
    out = sit_down(game).out
    for name in TABLES[game].partition(" --")[0].split():
        assert f"\n{name}:\n" in f"\n{out}"
    assert not re.search(r"the other player|opponent|player \d|of seat \d", out, re.IGNORECASE)


@pytest.mark.parametrize("game", TABLES)
def test_a_wrong_answer_is_asked_again_with_what_is_allowed(
    sit_down: Callable[..., Ran], game: str
) -> None:
    asked: list[str] = []

    def typing(prompt: str) -> str:
        asked.append(prompt)
        return "99 99" if len(asked) == 1 else moves(prompt)

    told = sit_down(game, typing)
    assert told.code == 0
    assert asked[0] == asked[1]
    typed, complaint, again = told.out.partition(asked[0])[2].splitlines()[:3]
    assert typed == "99 99"
    assert complaint.endswith(".")
    assert again.startswith(asked[0])
    assert "and lost" not in told.out


@pytest.mark.parametrize("game", TABLES)
def test_a_person_may_leave_in_the_middle(sit_down: Callable[..., Ran], game: str) -> None:
    def leaving(error: type[BaseException]) -> Typing:
        count = itertools.count()

        def typing(prompt: str) -> str:
            if next(count) == 3:
                raise error
            return moves(prompt)

        return typing

    told = sit_down(game, leaving(KeyboardInterrupt))
    assert (told.code, told.err) == (130, "matchbox: you left the game before its end\n")
    told = sit_down(game, leaving(EOFError))
    assert (told.code, told.err) == (1, "matchbox: the answers ended before the game did\n")
    assert "The whole game" not in told.out


def test_the_duels_quit_leaves_the_game(sit_down: Callable[..., Ran]) -> None:
    told = sit_down("creatures", lambda prompt: "quit")
    assert (told.code, told.err) == (130, "matchbox: you left the game before its end\n")


def test_cards_that_are_laid_at_the_same_time_are_shown_together(
    sit_down: Callable[..., Ran],
) -> None:
    live, _ = two_parts(sit_down("war").out)
    asked = next(place for place, line in enumerate(live) if line.startswith("Which two"))
    assert not bullets(live[:asked])
    laid = bullets(live[asked:])[:3]
    assert [line.split()[1] for line in laid].count("lays") == 2


def test_hidden_cards_of_skull_are_printed_when_they_are_turned_over(
    sit_down: Callable[..., Ran],
) -> None:
    live, _ = two_parts(sit_down("skull").out)
    naming = [line for line in live if "skull" in line or "rose" in line]
    own = (
        "Your hand: ",
        "Your pile, ",
        "Your move: ",
        "  - the card of ",
        "Your own skull.",
        "You have lost: ",
    )
    assert all(line.startswith(own) for line in naming)


def test_a_person_does_not_see_what_the_other_sees(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "looker.py"
    file.write_bytes(turning("return play_a_card(see_card) and None"))
    monkeypatch.setattr("builtins.input", moves)
    told = matchbox("play", "bomb", "human", file, "--box", "none", "--seed", 4)
    assert "  - plays a see card" in told.out
    assert "You see" not in told.out


def test_a_bot_that_is_out_is_told_and_no_event_twice(
    matchbox: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "broken.py"
    file.write_text(
        "from matchbox.games.skull import *\n\n\nclass Broken(Agent):\n    asked = 0\n\n"
        "    def select_move(self, game_state):\n        self.asked += 1\n"
        "        return game_state.legal_moves()[-1] if self.asked < 2 else 1 / 0\n"
    )
    monkeypatch.setattr("builtins.input", lambda prompt: print(prompt) or moves(prompt))
    told = matchbox("play", "skull", "human", file, "random", "--box", "none", "--seed", 1)
    live, _ = two_parts(told.out)
    shown = [
        line for line in live if line in ("human:", "broken:", "random:") or line in bullets(live)
    ]
    placed = "  - places a card"
    assert shown[:10] == [
        "human:", placed, "broken:", placed, "random:", placed, "human:", "  - bids 1",
        "broken:", "  - is out because of a fault",
    ]  # fmt: skip
    assert "is out because of a fault" not in "".join(shown[10:])
    assert "broken: crash: ZeroDivisionError: division by zero" in told.out


def test_answers_from_a_file_are_printed_after_their_questions(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed = tmp_path / "typed"
    typed.write_text("x\n" + "\n" * 40)
    with typed.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        told = matchbox("play", "bomb", "human", "simple", "--seed", 3, "--box", "none")
    assert "or press Enter to draw: x\n'x' is not one of the letters.\n" in told.out


def test_a_byte_that_is_no_text_is_only_a_wrong_answer(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed = tmp_path / "typed"
    typed.write_bytes(b"\xff\n" + b"\n" * 40)
    with typed.open(encoding="utf-8") as file:
        monkeypatch.setattr(sys, "stdin", file)
        told = matchbox("play", "bomb", "human", "simple", "--seed", 3, "--box", "none")
    assert r"'\\xff' is not one of the letters." in told.out
    assert "human: crash" not in told.out


def test_two_people_at_one_terminal_have_numbers(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: print(prompt) or moves(prompt))
    live, _ = two_parts(matchbox("play", "bomb", "human", "human", "--seed", 4).out)
    assert live[:2] == ["human0:", "The draw pile has 17 cards."]
    assert "human1 has 6 cards." in live
    assert "human1:" in live
