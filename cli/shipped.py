"""The bots a command names: shipped ones by name, others by the path of their file."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from matchbox.bundle import check_class_name, digest
from matchbox.errors import BadName
from matchbox.registry import package_of

SUFFIXES: Final = (".py", ".zip")


@dataclass(frozen=True, slots=True)
class NamedBot:
    """A bot as the command line names it."""

    name: str
    data: bytes
    class_name: str | None = None

    @property
    def version(self) -> str:
        """The digest of its bundle."""
        return digest(self.data)


def names(game: str) -> list[str]:
    """The shipped bots of a game, in the order of names."""
    folder = resources.files("bots").joinpath(game)
    if not folder.is_dir():
        return []
    files = [entry.name for entry in folder.iterdir()]
    return sorted(
        file.removesuffix(".py") for file in files if file.endswith(".py") and file[0] != "_"
    )


def shipped(game: str) -> list[NamedBot]:
    """Every shipped bot of the game."""
    return [_shipped(game, name) for name in names(game)]


def find(game: str, text: str) -> NamedBot:
    """The bot of that name, or in that file; FILE:CLASS chooses one class of several.

    Raises UnknownGame, and BadName where there is neither.
    """
    package_of(game)
    if text in names(game):
        return _shipped(game, text)
    path, _, class_name = text.partition(":")
    if not path.endswith(SUFFIXES):
        known = ", ".join(names(game)) or "none"
        raise BadName(
            f"there is no bot {text!r} of {game}: name a shipped one ({known}) or a file ending in "
            ".py or .zip"
        )
    return NamedBot(Path(path).stem, read(Path(path)), check_class_name(class_name or None))


def find_all(game: str, texts: list[str]) -> list[NamedBot]:
    """The bots of these names; one that has another's name is numbered."""
    bots = [find(game, text) for text in texts]
    seen: dict[str, int] = {}
    numbered = []
    for bot in bots:
        seen[bot.name] = seen.get(bot.name, 0) + 1
        name = bot.name if seen[bot.name] == 1 else f"{bot.name}-{seen[bot.name]}"
        numbered.append(NamedBot(name, bot.data, bot.class_name))
    return numbered


def read(path: Path) -> bytes:
    """The bytes of a bot's file. Raises BadName where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadName(f"{path} cannot be read: {error.strerror or error}") from error


def _shipped(game: str, name: str) -> NamedBot:
    data = resources.files("bots").joinpath(game, f"{name}.py").read_bytes()
    return NamedBot(name, data)
