"""`--box none`: the command's output and folder, and bots that run in its process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.worker.bots import turning

COMMAND = Path(sys.executable).with_name("matchbox")
PRINTS = (
    "import os, sys\nprint('print')\nprint('found', file=sys.__stdout__)\nos.write(1, b'raw')\n"
)


@pytest.mark.parametrize(
    "words",
    [
        "play bomb FILE simple",
        "check FILE --game bomb",
        "simulate bomb FILE simple --games 2",
        "simulate bomb FILE simple --games 2 --workers 2",
        "simulate bomb FILE simple --games 2 --rounds 2",
        "compare FILE simple --game bomb --games 2",
    ],
)
def test_what_a_bot_prints_does_not_stand_in_the_document(words: str, tmp_path: Path) -> None:
    file = tmp_path / "prints.py"
    file.write_bytes(PRINTS.encode() + turning("return None"))
    given = [*words.replace("FILE", str(file)).split(), "--box", "none", "--json"]
    done = subprocess.run([COMMAND, *given], capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)
    assert all(text in done.stderr for text in ("print", "found", "raw"))


def test_a_bot_that_changes_the_folder_moves_no_file(
    matchbox: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "goes.py"
    file.write_bytes(b"import os\nos.chdir('elsewhere')\n" + turning("return None"))
    monkeypatch.chdir(tmp_path)
    words = ("simulate", "bomb", "goes.py", "simple", "--games", 1, "--box", "none")
    assert matchbox(*words, "--tsv", "figures.tsv").code == 0
    assert (tmp_path / "figures.tsv").exists()
