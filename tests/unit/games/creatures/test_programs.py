"""The programs of the duel's document run a duel turn by turn, log it and count it."""

from __future__ import annotations

import json
import random
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from matchbox.games.creatures import AutoPilot, full_turn, jsonlog, parse_log, programs, terminal
from matchbox.games.creatures import player as creatures_player
from matchbox.match.loading import offer_document_names
from tests.builders import CHECKOUT

DOCUMENTS = CHECKOUT / "tests/documents/creatures"


@pytest.fixture(autouse=True)
def _own_place_chance_and_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    state = random.getstate()
    random.seed(5)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jsonlog, "_open", None)
    monkeypatch.setattr(programs, "_running", None)
    for name in creatures_player.ALIASES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    offer_document_names(creatures_player)
    yield
    random.setstate(state)
    for name in creatures_player.ALIASES:
        sys.modules.pop(name, None)


def run(name: str) -> dict[str, Any]:
    """Runs the program; returns its globals."""
    return runpy.run_path(str(DOCUMENTS / name), run_name="__main__")


def pair(first: str = "Ann", second: str = "Bob") -> tuple[AutoPilot, AutoPilot]:
    """Returns two players who know each other, made like a program makes them."""
    one, two = AutoPilot(first), AutoPilot(second)
    one.opponent, two.opponent = two, one
    return one, two


def test_rungame_plays_a_whole_game_and_logs_it(capsys: pytest.CaptureFixture[str]) -> None:
    names = run("rungame.py")
    ann, bob = names["ann"], names["bob"]
    winner, loser = (ann, bob) if bob.lose else (bob, ann)
    assert loser.life <= 0 < winner.life
    (game,) = terminal.read_results()
    assert (game["number"], game["winner"], game["loser"]) == (1, winner.name, loser.name)
    began = names["order"][0].name
    assert [(turn["number"], turn["player"]) for turn in game["turns"][:3]] == [
        (1, began), (1, loser.name if began == winner.name else winner.name), (2, began),
    ]  # fmt: skip
    assert len(game["turns"]) >= 9
    assert game["turns"][-1]["player"] == winner.name
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{began}:"
    assert f"{winner.name} wins." in lines


def test_the_learning_loop_plays_parses_and_plays() -> None:
    tables = []
    for _ in range(3):
        run("rungame.py")
        run("parsing_program.py")
        tables.append(json.loads(Path("parsed.json").read_text()))
    assert [game["number"] for game in terminal.read_results()] == [1, 2, 3]
    summons = [sum(sum(card.values()) for card in table.values()) for table in tables]
    assert 0 < summons[0] < summons[1] < summons[2]
    assert parse_log() == tables[-1], "every game is counted once"


def test_rungame_repeats_with_its_seed() -> None:
    run("rungame.py")
    random.seed(5)
    run("rungame.py")
    first, second = terminal.read_results()
    assert {**first, "number": 2} == second


def test_a_human_plays_humangame(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["LAND", "TAP", "DONE", "QUIT"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(typed))
    run("humangame.py")
    (game,) = terminal.read_results()
    assert (game["winner"], game["loser"]) == ("Machine", "Me")
    assert game["turns"][0] == {
        "number": 1,
        "player": "Me",
        "moves": [[["Land", []], ["Tap", [1]]]],
    }
    assert capsys.readouterr().out.splitlines()[-1] == "Machine wins."


def test_lives_and_opponents_are_right_after_every_turn() -> None:
    ann, bob = pair()
    lives, mover = [], ann
    while full_turn(mover):
        mover = bob if mover is ann else ann
        lives.append((ann.life, bob.life))
        assert (ann.opponent.life, bob.opponent.life) == (bob.life, ann.life)
    assert lives == sorted(lives, reverse=True)
    assert (ann.opponent, bob.opponent) == (bob, ann)
    assert full_turn(bob), "the same players begin another duel"
    assert (ann.lose, bob.lose) == (False, False)


def test_a_turn_out_of_order_is_refused_and_the_duel_goes_on() -> None:
    ann, bob = pair()
    assert full_turn(ann)
    with pytest.raises(ValueError, match="it is the turn of Bob, not of Ann"):
        full_turn(ann)
    assert full_turn(bob)


def test_a_duel_needs_two_players_with_two_names() -> None:
    with pytest.raises(ValueError, match="Ann has no opponent"):
        full_turn(AutoPilot("Ann"))
    with pytest.raises(ValueError, match="both players are called Ann"):
        full_turn(pair("Ann", "Ann")[0])


def test_a_players_error_is_raised_and_ends_the_duel(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(AutoPilot):
        def auto_summon(self) -> None:
            raise KeyError("boom")

    ann, bob = Broken("Ann"), AutoPilot("Bob")
    ann.opponent, bob.opponent = bob, ann
    with pytest.raises(KeyError):
        full_turn(ann)
    assert "Bob wins." in capsys.readouterr().out
    assert ann.lose
    assert not terminal.read_results()


def test_a_program_may_write_its_log_itself_and_it_stands_there_once() -> None:
    run("rungame.py")
    jsonlog.write_to_json()
    assert len(terminal.read_results()) == 1
