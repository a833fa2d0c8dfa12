"""Finds the games: built-in folders and entry points of the group "matchbox.games".

Knows where a game's modules are; knows no game by name.
"""

from __future__ import annotations

import pkgutil
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import entry_points, version
from importlib.resources import files
from importlib.util import find_spec
from traceback import extract_tb, walk_tb
from typing import TYPE_CHECKING, Any, Final

import matchbox.games
from matchbox.errors import BadGame, IllegalMove, MatchboxError, UnknownGame, quoted
from matchbox.hooks import check_choices, check_draw, check_game

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from importlib.resources.abc import Traversable
    from types import ModuleType

    from matchbox.game import ChoicesModule, DrawModule, Game

GROUP: Final = "matchbox.games"
_NO_RULES: Final = ("README.md", "choices.py", "draw.py", "playthrough.txt", "terminal.py")
"""The files of a game that decide nothing in a match."""
_SHIPPED_PLAYERS: Final = "players.py"
"""The file of a built-in game that gives its shipped players to those who import them."""
_BUILT: Final = (".c", ".cpp", ".html", ".pxd", ".pyc", ".pyd", ".so", "~", ".orig", ".bak", ".md")
"""Suffixes of build artefacts, type declarations, backups and documentation."""
_BESIDE: Final = ("__pycache__", "tests", "LICENSE", "LICENSE.txt", "py.typed")
"""Other files and folders that decide nothing in a match."""


@cache
def packages() -> Mapping[str, str]:
    """Returns the package of every installed game by name. Raises BadGame for a name clash."""
    built_in = {
        module.name: f"matchbox.games.{module.name}"
        for module in pkgutil.iter_modules(matchbox.games.__path__)
        if module.ispkg
    }
    found = dict(built_in)
    for point in entry_points(group=GROUP):
        if point.name in found:
            raise BadGame(f"two games are called {point.name!r}; uninstall {point.value}")
        if not all(map(str.isidentifier, point.value.split("."))):
            raise BadGame(
                f"the entry point {point.name!r} has the value {point.value!r}; its value is the "
                "game's package alone, such as tictactoe"
            )
        found[point.name] = point.value
    return dict(sorted(found.items()))


@cache
def game(name: str) -> Game:
    """Returns the game of that name.

    Raises UnknownGame, and BadGame if the package, its Spec or a hook is invalid.
    """
    package = package_of(name)
    try:
        rules, player = _load(f"{package}.rules"), _load(f"{package}.player")
    except ModuleNotFoundError as error:
        raise BadGame(f"game {name!r} of {package} has no module {error.name}") from error
    if not hasattr(rules, "GAME"):
        raise BadGame(f"game {name!r} of {package} has no rules.GAME")
    found: Game = rules.GAME
    check_game(package, found, player)
    if found.spec.name != name:
        raise BadGame(
            f"the game of {package} calls itself {found.spec.name!r}, not {name!r}: the name in "
            "its Spec and that of its entry point must be the same"
        )
    return found


def games() -> dict[str, Game]:
    """Returns every installed game by name, in the order of names."""
    return {name: game(name) for name in packages()}


def is_cooperative(name: str) -> bool:
    """Whether all seats of the game are one team; False if the game is not installed."""
    try:
        return game(name).spec.cooperative
    except MatchboxError:
        return False


def package_of(name: str) -> str:
    """Returns the package of the game of that name. Raises UnknownGame."""
    try:
        return packages()[name]
    except KeyError:
        known = ", ".join(packages())
        text = f"there is no game {quoted(name)}; the games are: {known}"
        raise UnknownGame(text).of("game") from None


@cache
def choices_module(name: str) -> ChoicesModule | None:
    """Returns the module that puts the game's moves into words for a person; None if it has none.

    Raises UnknownGame, and BadGame if a hook is misspelt or incomplete.
    """
    module: Any = _optional_module(name, "choices")
    if module is not None:
        check_choices(package_of(name), module)
    found: ChoicesModule | None = module
    return found


@cache
def draw_module(name: str) -> DrawModule | None:
    """Returns the module that draws the game's positions; None if it has none.

    Raises UnknownGame, and BadGame if a hook is misspelt or incomplete.
    """
    module: Any = _optional_module(name, "draw")
    if module is not None:
        check_draw(package_of(name), module)
    found: DrawModule | None = module
    return found


def _optional_module(name: str, part: str) -> ModuleType | None:
    """The module of the game with that name, if it has it."""
    module = f"{package_of(name)}.{part}"
    return None if find_spec(module) is None else _load(module)


def _load(module: str) -> ModuleType:
    """Imports a module of a game. Raises ModuleNotFoundError if there is none, and BadGame for any
    error in it, with its place."""
    try:
        return import_module(module)
    except MatchboxError:
        raise
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise
        at = extract_tb(error.__traceback__)[-1]
        place = "" if isinstance(error, SyntaxError) else f" ({at.filename}, line {at.lineno})"
        told = f"{type(error).__name__}: {error}{place}"
        raise BadGame(f"{module} cannot be loaded: {told}") from error


@contextmanager
def raising_bad_game() -> Iterator[None]:
    """Raises BadGame in place of an error that a function of an installed game raises in the block.

    Errors of Matchbox pass, except an IllegalMove: no move is refused here.
    """
    try:
        yield
    except Exception as error:
        if broken := broken_game(error):
            raise broken from error
        raise


def broken_game(error: Exception) -> BadGame | None:
    """Returns a BadGame with the game, the function and the line, if a function of an installed
    game raised the error; None for an error of Matchbox, or from elsewhere.

    The referee catches an IllegalMove of `apply`. So one that comes here is such an error, too.
    """
    refused = isinstance(error, IllegalMove)
    if isinstance(error, MatchboxError) and not refused:
        return None
    found = [
        (name, frame.f_code, f"{frame.f_globals['__name__']}, line {line}")
        for frame, line in walk_tb(error.__traceback__)
        if (name := _game_of(frame.f_globals.get("__name__", "")))
    ]
    if not found:
        return None
    (name, code, _), (*_, place) = found[0], found[-1]
    told = f"{type(error).__name__}: {error} ({place})"
    only = (
        "; in the rules only apply may raise IllegalMove, for the move of a seat" if refused else ""
    )
    return BadGame(f"the game {name} is broken: {code.co_qualname} raised {told}{only}")


def _game_of(module: str) -> str | None:
    """The name of the game whose package the module is in."""
    for name, package in packages().items():
        if module == package or module.startswith(f"{package}."):
            return name
    return None


@cache
def digests() -> dict[str, str]:
    """Returns a digest of every game's rules, by the game's name: of their source and their data.

    Two machines with the same digests play by the same rules. It leaves out the shipped players of
    built-in games, tests, and what shows a game to people.
    """
    return {name: _digest(package) for name, package in packages().items()}


@cache
def match_digest() -> str:
    """Returns a digest of the source code of `matchbox.match`, which plays, records and replays
    matches.

    It tells apart two installations that report the same release.
    """
    return _digest("matchbox.match")


def _digest(package: str) -> str:
    found = blake2b(digest_size=16)
    built_in = package.startswith(f"{matchbox.games.__name__}.")
    for name, file in _sources(files(package)):
        if name not in _NO_RULES and not (built_in and name == _SHIPPED_PLAYERS):
            source = file.read_bytes()
            found.update(f"{name} {len(source)}\n".encode() + source)
    return found.hexdigest()


def _sources(folder: Traversable, path: str = "") -> Iterator[tuple[str, Traversable]]:
    """The sources and data files in the folder and those inside it, each with its path."""
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.startswith(".") or file.name in _BESIDE:
            continue
        if file.is_dir():
            yield from _sources(file, f"{path}{file.name}/")
        elif not file.name.endswith(_BUILT):
            yield path + file.name, file


def release() -> str:
    """Returns the version of Matchbox that is installed here."""
    return version("matchbox")


def library_versions(names: Iterable[str]) -> dict[str, str]:
    """Returns the version of each of these libraries that is installed here, by its name."""
    return {name: _version(name) for name in names}


_version: Final = cache(version)


def seat_modules() -> list[str]:
    """The modules that a box loads before it is sealed: the player module of every game."""
    return [f"{package}.player" for package in packages().values()]
