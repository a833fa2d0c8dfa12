"""The documents' programs that play games in a loop run under their own import lines."""

from __future__ import annotations

import random
import runpy
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from matchbox.match.loading import offer_document_names
from tests.builders import CHECKOUT


@pytest.fixture(autouse=True)
def _own_chance_and_names() -> Iterator[None]:
    state, before = random.getstate(), dict(sys.modules)
    random.seed(4)
    yield
    random.setstate(state)
    for name in set(sys.modules) - set(before):
        if not name.startswith("matchbox"):
            del sys.modules[name]


def run(game: str, name: str) -> dict[str, Any]:
    """Runs the program; returns its globals."""
    offer_document_names(import_module(f"matchbox.games.{game}.player"))
    return runpy.run_path(str(CHECKOUT / "tests/documents" / game / name), run_name="__main__")


def test_bombs_matrix_of_many_games(capsys: pytest.CaptureFixture[str]) -> None:
    wins = run("bomb", "many_games.py")["wins"]
    assert all(0 <= won <= 20 for won in wins.values())
    assert wins[1, 0] + 20 - wins[0, 1] > 20, "Scared beats Simple over both orders"
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_games_batch_of_all_strategies(capsys: pytest.CaptureFixture[str]) -> None:
    rows = run("thegame", "batch.py")["rows"]
    assert [row[:2] for row in rows[:4]] == [
        (1, "random"), (1, "minimal"), (1, "trick"), (2, "random"),
    ]  # fmt: skip
    assert len(rows) == 42
    assert all(0 <= cards < 98 for *_, cards in rows)
    assert capsys.readouterr().out.splitlines()[0] == f"1\trandom\t{rows[0][2]}"


def test_skulls_challenge_of_three_bots() -> None:
    for _ in range(20):
        names = run("skull", "challenge.py")
        assert names["game"].is_over()
        assert names["moves"] >= 4
        assert names["game"].board.phase is names["GamePhase"].choice
