"""`matchbox run`: the documents' files as programs of their own, with and without a debugger."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from matchbox.errors import IllegalMove
from tests.builders import CHECKOUT
from tests.unit.cli.conftest import Run

COMMAND = Path(sys.executable).with_name("matchbox")
FILES = {
    "bomb": (
        "medium.py",
        "num_defuses = sum(",
        "print(play_game(MediumPlayer(), SimplePlayer(), print_details=False))",
    ),
    "creatures": (
        "autopilot.py",
        "self.board.play_land()",
        "from player import play_game\n"
        "print(play_game(AutoPilot('Ann'), AutoPilot('Bob'), print_details=False))",
    ),
    "skull": (
        "random_bot.py",
        "candidates = ",
        "from dlskull import play_game\n"
        "print(play_game([RandomBot(), RandomBot()], print_details=False)[0])",
    ),
    "thegame": (
        "trick.py",
        "tricks = []",
        "from simulation import simulate_game\nprint(simulate_game(3, trick_strategy))",
    ),
    "war": ("notebook.py", "initial1, initial2", "print(winner)"),
}
"""By game: a document's file, a line in it, and lines that play a game."""


@pytest.fixture(autouse=True)
def _own_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Forgets the modules that a test loads under the names of a document."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if not name.startswith(("matchbox", "cli")):
            del sys.modules[name]


def a_file(folder: Path, game: str) -> Path:
    """The document's file, with lines that play a game."""
    name, _, playing = FILES[game]
    file = folder / name
    source = (CHECKOUT / "tests/documents" / game / name).read_text()
    lines = "".join(f"    {line}\n" for line in playing.splitlines())
    file.write_text(f'{source}\n\nif __name__ == "__main__":\n{lines}')
    return file


@pytest.mark.parametrize("game", FILES)
def test_a_documents_file_runs(matchbox: Run, game: str, tmp_path: Path) -> None:
    told = matchbox("run", a_file(tmp_path, game), "--game", game)
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines()[-1].isdigit()


def test_the_example_of_creatures_runs_with_a_game_at_its_end(
    matchbox: Run, tmp_path: Path
) -> None:
    page = (CHECKOUT / "matchbox/games/creatures/README.md").read_text()
    file = tmp_path / "timid.py"
    playing = "print(play_game(TimidPlayer('Ann'), AutoPilot('Bob'), print_details=False))\n"
    file.write_text(page.split("```python\n")[1].split("```")[0] + playing)
    told = matchbox("run", file, "--game", "creatures")
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines()[-1].isdigit()


@pytest.mark.parametrize("game", FILES)
def test_a_debugger_stops_in_a_documents_file(game: str, tmp_path: Path) -> None:
    file, mark = a_file(tmp_path, game), FILES[game][1]
    lines = file.read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if mark in line)
    orders = [f"b {file}:{number}", "c", "w", "p 'stopped in', __name__", "q"]
    words = [word for order in orders for word in ("-c", order)]
    ran = subprocess.run(
        [sys.executable, "-m", "pdb", *words, str(COMMAND), "run", str(file), "--game", game],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False,
        cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert f"> {file}({number})" in ran.stdout, ran.stderr
    assert "('stopped in', '__main__')" in ran.stdout


def test_the_names_are_those_that_the_file_has_in_a_box(matchbox: Run, tmp_path: Path) -> None:
    from matchbox import registry

    file = tmp_path / "names.py"
    for game in registry.games():
        player = sys.modules[f"{registry.package_of(game)}.player"]
        names = getattr(player, "ALIASES", {})
        file.write_text(
            "import importlib\n"
            f"for name, module in {dict(names)!r}.items():\n"
            "    assert importlib.import_module(name) is importlib.import_module(module)\n"
        )
        assert matchbox("run", file, "--game", game).code == 0


def test_the_file_gets_its_own_arguments_and_modules_beside_it(
    matchbox: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "beside.py").write_text("TEXT = 'beside'\n")
    file = tmp_path / "main.py"
    file.write_text("import sys\nimport beside\nprint(beside.TEXT, *sys.argv[1:])\nsys.exit(3)\n")
    with pytest.raises(SystemExit, match="3"):
        matchbox("run", file, "--game", "bomb", "--", "--fast", "7")
    assert capsys.readouterr().out == "beside --fast 7\n"


def test_the_file_reads_its_data_as_in_a_box(matchbox: Run, tmp_path: Path) -> None:
    (tmp_path / "table.txt").write_text("1 2 3")
    file = tmp_path / "player.py"
    file.write_text("import pkgutil\nprint(pkgutil.get_data(__name__, 'table.txt'))\n")
    assert matchbox("run", file, "--game", "creatures").out == "b'1 2 3'\n"


def test_an_error_of_the_file_is_its_own(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("from skulltypes import Card\nCard.thorn\n")
    with pytest.raises(AttributeError, match="thorn"):
        matchbox("run", file, "--game", "skull")


def test_an_error_of_matchbox_in_the_file_is_shown_with_its_place(
    matchbox: Run, tmp_path: Path
) -> None:
    file = tmp_path / "author.py"
    file.write_text("from matchbox.errors import IllegalMove\nraise IllegalMove('no such card')\n")
    with pytest.raises(IllegalMove, match="no such card") as raised:
        matchbox("run", file, "--game", "bomb")
    assert raised.traceback[-1].path == file


@pytest.mark.parametrize("error", [EOFError, KeyboardInterrupt])
def test_an_interrupt_says_where_the_file_was(
    matchbox: Run, tmp_path: Path, error: type[BaseException]
) -> None:
    file = tmp_path / "loops.py"
    file.write_text(f"raise {error.__name__}\n")
    with pytest.raises(error) as raised:
        matchbox("run", file, "--game", "bomb")
    assert raised.traceback[-1].path == file


@pytest.mark.parametrize("line, frames", [("Card.thorn", 1), ("Card.", 0)])
def test_an_error_of_the_file_is_shown_as_by_python(line: str, frames: int, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(f"class Card: pass\n{line}\n")
    ran = subprocess.run(
        [str(COMMAND), "run", str(file), "--game", "skull"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert (ran.stderr.count("Traceback"), ran.stderr.count(", in ")) == (frames, frames)
    assert f'File "{file}", line 2' in ran.stderr


@pytest.mark.parametrize(
    "words, error",
    [
        (("nope.py", "--game", "skull"), "there is no file nope.py: name the Python file that"),
        ((".", "--game", "skull"), ". is not a Python file: name one that ends in .py"),
        (("nope.py", "--game", "skul"), "there is no game 'skul'; the games are: bomb,"),
        (("nope.py",), "Missing option '--game'; see matchbox run --help"),
    ],
)
def test_a_wrong_file_or_game_is_named(matchbox: Run, words: tuple[str, ...], error: str) -> None:
    told = matchbox("run", *words)
    assert told.code == 2
    assert told.err.startswith(f"matchbox: {error}")
