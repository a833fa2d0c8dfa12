"""The game of docs/add-a-game.md: read from the page, installed, and tested against the
contract."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from inspect import get_annotations
from pathlib import Path

import pytest

from bench import sample_game
from bench.sample_game import GAME
from matchbox import game

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITE_PLAYTHROUGH = f"""
from matchbox import registry
from tests.contract.playthroughs import place_of, playthrough
place_of("{GAME}").write_text(playthrough(registry.game("{GAME}")), encoding="utf-8")
"""

REFUSED = f"from {GAME} import Player\n\n\nclass Mine(Player):\n    def turn(self, board, me):\n"
TRY_OUT = f"""
import sys
from pathlib import Path
from matchbox.bundle import digest
from matchbox.dice import derive_deals
from matchbox.match.wire import TryOut
from worker.arena.tryout import try_out
data = Path(sys.argv[1]).read_bytes()
job = {{"attempt": 1, "token": "token", "game": "{GAME}", "limits": {{}}, "version": digest(data)}}
print(*try_out(TryOut(**job, deals=derive_deals("a test", 1)), data, None).reasons)
"""


def bot(checkout: Path) -> str:
    """The bot on the page."""
    codes = BLOCK.findall((checkout / "docs/add-a-game.md").read_text())
    return next(code for code in codes if f"from {GAME} import Player\n\n\nclass" in code)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of packages with the game, in the form that `pip install` produces."""
    sample_game.write(tmp_path)
    return tmp_path


def run(installed: Path, checkout: Path, *arguments: str, typed: str = "") -> str:
    """The output of a Python that has the game, and in which this is typed. It must succeed."""
    path = os.pathsep.join([str(installed), str(checkout)])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        input=typed,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_game_on_the_page_keeps_the_contract(installed: Path, checkout: Path) -> None:
    run(installed, checkout, "-c", WRITE_PLAYTHROUGH)
    files = ("tests/contract/test_every_game.py", "tests/contract/test_every_batch.py")
    contract = (*files, "-k", GAME)
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly")
    said = run(installed, checkout, "-m", "pytest", *contract, *quiet)
    assert re.search(r"\b[1-9]\d+ passed", said), said


def test_a_refused_move_of_the_game_has_its_place(installed: Path, checkout: Path) -> None:
    file = installed / "refused.py"
    file.write_text(REFUSED + "        return 9\n")
    said = run(installed, checkout, "-c", TRY_OUT, str(file))
    assert "the rules refuse (in turn, which begins in player.py, line 5): 9 is not a field" in said


def test_the_bot_on_the_page_is_accepted_and_plays(installed: Path, checkout: Path) -> None:
    file = installed / "first.py"
    file.write_text(bot(checkout))
    play = ("play", GAME, str(file), str(file), "--box", "none")
    command = ("-c", "from cli.main import main; main()")
    said = run(installed, checkout, *command, "check", str(file), "--game", GAME, "--box", "none")
    assert said.startswith("accepted")
    told = run(installed, checkout, *command, *play)
    assert "takes field 0" in told
    assert told.endswith("wins.\n")
    listed = json.loads(run(installed, checkout, *command, "games", "--json"))
    assert GAME in [one["name"] for one in listed]
    experiment = ("simulate", GAME, str(file), str(file), "--games", "3", "--box", "none")
    found = json.loads(run(installed, checkout, *command, *experiment, "--json"))
    assert [(pair["games"], pair["first_share"]) for pair in found["pairs"]] == [(3, 1.0)] * 2
    assert found["faults"] == []


def test_a_person_is_asked_again_until_the_field_is_free(installed: Path, checkout: Path) -> None:
    file = installed / "first.py"
    file.write_text(bot(checkout))
    command = ("-c", "from cli.main import main; main()", "play", GAME, str(file), "human")
    said = run(installed, checkout, *command, "--box", "none", typed="0\nx\n\n3\n4\n5\n")
    assert "Type one of 1, 2, 3, 4, 5, 6, 7, 8." in said
    assert "raised an exception" not in said
    assert said.endswith("first wins.\n")


def test_the_page_names_all_that_a_game_may_declare(checkout: Path) -> None:
    text = (checkout / "docs/add-a-game.md").read_text()
    kinds = ("Game", "Player", "Terminal", "Draw", "Choices")
    hooks = [getattr(game, f"{kind}Hooks") for kind in kinds]
    declared = [name for kind in hooks for name in (*vars(kind), *get_annotations(kind))]
    named = [field.name for field in fields(game.Spec)]
    named += [name for name in declared if not name.startswith("_")]
    assert "EXPORTS" in named
    code = "\n".join(BLOCK.findall(text))
    quoted = "\n".join(re.findall("`[^`\n]+`", BLOCK.sub("", text)))
    assert not [
        name
        for name in named
        if not re.search(rf"\b{name}\b", quoted) and not re.search(rf"\b{name} ?[=(:]", code)
    ]
