"""The registry finds the games in the folder and the installed ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import invalidate_caches, metadata
from pathlib import Path

import numpy as np
import pytest

from matchbox import registry
from matchbox.errors import BadGame, UnknownGame

RULES = """
from matchbox.game import Spec
class Game:
    spec = Spec({name!r}, "A game", (2,), "1")
    def start(self, seats, dice, options): ...
    def to_move(self, state): ...
    def legal(self, state, seat): ...
    def apply(self, state, seat, move, dice): ...
    def without(self, state, seat, dice): ...
    def view(self, state, seat): ...
    def outcome(self, state): ...
    def describe(self, move, view): ...
    def resample(self, state, seat, dice): ...
GAME = Game()
"""
PLAYER = """
class Player: ...
def answer(player, view, ask): ...
"""

Install = Callable[[str, str, str], None]


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    found = (
        *(registry.packages, registry.game, registry.digests),
        *(registry.draw_module, registry.choices_module),
    )
    for kept in found:
        kept.cache_clear()
    yield
    for kept in found:
        kept.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """A function that installs a distribution with a game. It takes the entry point's name, the
    package and its rules.py."""
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def write(point: str, package: str, rules: str) -> None:
        made.append(package)
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / package / "rules.py").write_text(rules)
        (tmp_path / package / "player.py").write_text(PLAYER)
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[matchbox.games]\n{point} = {package}\n")

    yield write
    for name in [name for name in sys.modules if name.split(".")[0] in made]:
        del sys.modules[name]


def test_the_built_in_games_are_found() -> None:
    assert "bomb" in registry.games()
    assert registry.package_of("bomb") == "matchbox.games.bomb"
    assert "matchbox.games.bomb.player" in registry.seat_modules()


def test_an_installed_game_is_found_without_another_edit(install: Install) -> None:
    install("nim", "installed_nim", RULES.format(name="nim"))
    assert registry.game("nim").spec.title == "A game"
    assert list(registry.games()) == sorted(registry.games())
    assert "installed_nim.player" in registry.seat_modules()


def test_an_unknown_game_is_refused_with_the_list() -> None:
    with pytest.raises(UnknownGame, match=r"there is no game 'chess'; the games are: .*bomb"):
        registry.game("chess")


def test_two_games_of_one_name_are_refused(install: Install) -> None:
    install("bomb", "another_bomb", RULES.format(name="bomb"))
    with pytest.raises(BadGame, match="two games are called 'bomb'; uninstall another_bomb"):
        registry.games()


@pytest.mark.parametrize("value", ["value_nim.rules:GAME", "value-nim", "value_nim/rules.py"])
def test_an_entry_point_that_names_no_package_is_refused(
    install: Install, value: str, tmp_path: Path
) -> None:
    install("nim", "value_nim", RULES.format(name="nim"))
    points = tmp_path / "value_nim-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"[matchbox.games]\nnim = {value}\n")
    with pytest.raises(BadGame, match="its value is the game's package alone, such as tictactoe"):
        registry.game("nim")


@pytest.mark.parametrize("rules", ["", "GAME_ = 1"])
def test_a_package_without_a_game_is_refused_by_name(install: Install, rules: str) -> None:
    install("nim", "broken_nim", rules)
    with pytest.raises(BadGame, match=r"game 'nim' of broken_nim has no rules\.GAME"):
        registry.game("nim")


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("ROWS = [", r"SyntaxError: .*rules\.py, line 1"),
        ("\nGAME = Nim()", r"NameError: name 'Nim' is not defined \(.*rules\.py, line 2\)"),
        ("GAME = 1 / 0", "ZeroDivisionError"),
        ("import nosuch", r"ModuleNotFoundError: No module named 'nosuch' \(.*rules\.py, line 1\)"),
        ("import os\n\nos.nosuch", r"AttributeError: module 'os' .*rules\.py, line 3\)"),
    ],
)
def test_rules_with_a_mistake_are_refused_with_its_place(
    install: Install, broken: str, why: str
) -> None:
    install("nim", "mistaken_nim", broken)
    with pytest.raises(BadGame, match=rf"mistaken_nim\.rules cannot be loaded: {why}"):
        registry.game("nim")


@pytest.mark.parametrize("broken", ["class Player(:", "import no_such_module", "ALIASES = {}[1]"])
@pytest.mark.parametrize("part", ["player", "draw", "choices"])
def test_a_module_with_a_mistake_is_refused_by_name(
    install: Install, tmp_path: Path, part: str, broken: str
) -> None:
    install("nim", f"mistaken_{part}", RULES.format(name="nim"))
    (tmp_path / f"mistaken_{part}" / f"{part}.py").write_text(broken)
    load = {"player": registry.game, "draw": registry.draw_module}
    with pytest.raises(BadGame, match=rf"mistaken_{part}"):
        load.get(part, registry.choices_module)("nim")


def test_a_game_under_another_name_is_refused(install: Install) -> None:
    install("nim", "renamed_nim", RULES.format(name="marienbad"))
    with pytest.raises(BadGame, match=r"calls itself 'marienbad', not 'nim': .* must be the same"):
        registry.game("nim")


def test_the_digest_of_a_game_covers_its_folders_but_not_its_drawing(
    install: Install, tmp_path: Path
) -> None:
    install("nim", "folded_nim", RULES.format(name="nim"))
    inner = tmp_path / "folded_nim" / "engine"
    inner.mkdir()
    (inner / "rules.py").write_text("TAKEN = 1\n")

    def digest() -> str:
        registry.digests.cache_clear()
        return registry.digests()["nim"]

    before = digest()
    (tmp_path / "folded_nim" / "draw.py").write_text("def draw(view): ...\n")
    assert digest() == before
    for aside in (
        "README.md",
        "playthrough.txt",
        "rules.pxd",
        "rules.so",
        "rules.c",
        ".cards.json",
    ):
        (tmp_path / "folded_nim" / aside).write_text("nothing that decides a match\n")
    assert digest() == before
    (tmp_path / "folded_nim" / "tests").mkdir()
    (tmp_path / "folded_nim" / "tests" / "cards.json").write_text("[]")
    (inner / "__pycache__").mkdir(exist_ok=True)
    (inner / "__pycache__" / "cards.json").write_text("[]")
    assert digest() == before
    (inner / "rules.py").write_text("TAKEN = 2\n")
    assert digest() != before


def test_the_digest_of_a_game_covers_its_data(install: Install, tmp_path: Path) -> None:
    install("nim", "dealt_nim", RULES.format(name="nim"))
    found = set()
    for file in ("cards.json", "players.py", "tests_of_cards.py"):
        for cards in ("[1, 2]", "[1, 3]"):
            (tmp_path / "dealt_nim" / file).write_text(cards)
            registry.digests.cache_clear()
            found.add(registry.digests()["nim"])
    assert len(found) == 6


def test_a_misspelt_hook_is_refused_when_the_game_is_registered(install: Install) -> None:
    rules = RULES.format(name="nim").replace("GAME = ", "    def facs(self, state): ...\nGAME = ")
    install("nim", "misspelt_nim", rules)
    with pytest.raises(BadGame, match=r"misspelt_nim\.rules\.GAME has 'facs', .* hook 'facts'"):
        registry.game("nim")


def test_a_package_without_a_player_is_refused_by_name(install: Install, tmp_path: Path) -> None:
    install("nim", "playerless_nim", RULES.format(name="nim"))
    (tmp_path / "playerless_nim" / "player.py").unlink()
    with pytest.raises(BadGame, match="game 'nim' of playerless_nim has no module player"):
        registry.game("nim")


@pytest.mark.parametrize(
    ("part", "source", "hook"),
    [
        ("draw", "def draw(view): ...\nEVENT = ('takes',)", "EVENTS"),
        ("choices", "def choice(move, view): ...\ndef questions(moves, view): ...", "question"),
    ],
)
def test_a_misspelt_hook_of_pages_is_refused_where_the_module_is_loaded(
    part: str, source: str, hook: str, install: Install, tmp_path: Path
) -> None:
    install("nim", f"drawn_nim_{part}", RULES.format(name="nim"))
    load = getattr(registry, f"{part}_module")
    assert load("nim") is None
    load.cache_clear()
    (tmp_path / f"drawn_nim_{part}" / f"{part}.py").write_text(source)
    invalidate_caches()
    with pytest.raises(BadGame, match=rf"nearly the hook '{hook}'"):
        load("nim")


def test_the_versions_of_libraries_are_read_from_the_disk_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An arena on another host sends them with every record, and the server compares them."""
    found = registry.library_versions(["numpy"])
    monkeypatch.setattr(metadata.Distribution, "from_name", None)
    assert registry.library_versions(["numpy"]) == found == {"numpy": np.__version__}
