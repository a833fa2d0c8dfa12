"""`matchbox run`: a player's file as an ordinary program, with the names of the game's document."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from matchbox.errors import BadName, MatchboxError


class Broken(Exception):
    """Holds an error of the file that would be taken for the command's own."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def run(
    file: Annotated[Path, typer.Argument(help="the Python file, such as bot.py")],
    argument: Annotated[
        list[str] | None, typer.Argument(help="the file's own arguments, after --")
    ] = None,
    *,
    game: Annotated[str, typer.Option(help="the game whose document names the modules")],
) -> None:
    """Run a Python file with the module names of a game's document, as a box offers them.

    There is no box: the file runs as with `python FILE`, and a debugger can follow it.
    """
    from importlib import import_module

    from matchbox.match.loading import offer_document_names
    from matchbox.registry import package_of

    player = import_module(f"{package_of(game)}.player")
    _check(file)
    offer_document_names(player)
    sys.argv = [str(file), *(argument or ())]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        _run(file)
    except (EOFError, KeyboardInterrupt, MatchboxError) as error:
        raise Broken(error) from error


def _run(file: Path) -> None:
    """Runs the file as the main module. Unlike that of `python FILE`, it has a loader, with which
    `pkgutil.get_data(__name__, ...)` reads the files beside it, as in a box."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    module, before = module_from_spec(spec), sys.modules["__main__"]
    module.__name__, module.__file__ = "__main__", str(file)
    sys.modules["__main__"] = module
    try:
        code = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102  It is the user's own program.
    finally:
        sys.modules["__main__"] = before


def _check(file: Path) -> None:
    """Raises BadName unless it is a Python file."""
    if not file.exists():
        raise BadName(f"there is no file {file}: name the Python file that is to run")
    if file.suffix != ".py" or not file.is_file():
        raise BadName(f"{file} is not a Python file: name one that ends in .py")
