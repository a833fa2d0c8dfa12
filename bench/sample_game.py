"""The game of docs/add-a-game.md, installed during its measurement: a game without any hook.

Reads the game from the page; measures nothing.
"""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from matchbox import registry

GAME: Final = "tictactoe"
RANDOM: Final = b"""import random

from tictactoe import Player


class RandomPlayer(Player):
    def turn(self, board, me):
        return random.choice([field for field in range(9) if board[field] is None])
"""
"""A bot for the game, as an upload."""
_PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "add-a-game.md"
_FILE: Final = re.compile(r"^`([\w./]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@contextmanager
def installed() -> Iterator[None]:
    """Installs the game in a folder of its own while the block runs."""
    with TemporaryDirectory() as folder:
        write(Path(folder))
        sys.path.append(folder)
        _forget()
        try:
            yield
        finally:
            sys.path.remove(folder)
            _forget()


def write(folder: Path) -> None:
    """Writes the package into the folder, in the form that `pip install` produces."""
    for name, text in _FILE.findall(_PAGE.read_text(encoding="utf-8")):
        place = folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"], project["version"]
    about = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n", encoding="utf-8")
    points = project["entry-points"][registry.GROUP].items()
    lines = [f"[{registry.GROUP}]", *(f"{point} = {package}" for point, package in points), ""]
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def _forget() -> None:
    """Makes the registry look for games again."""
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] == GAME]:
        del sys.modules[name]
    registry.packages.cache_clear()
    registry.game.cache_clear()
