"""`--export FILE`: writes a match in the format of the game's own document, if the game offers one.

Knows where a game keeps its terminal, and how the file's name chooses the format; knows no game.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matchbox.match.record import Record

    Export = Callable[[Record, Sequence[str]], Iterable[str]]

ExportOption = Annotated[
    Path | None, typer.Option(help="write the game's own file, such as results.json of creatures")
]


def check_export(game: str, path: Path) -> Export:
    """The function that writes such a file, chosen by its name.

    Raises BadOption if the game offers none, if the file exists, or if its folder does not.
    """
    exports = _offered(game)
    if not exports:
        raise BadOption(f"{game} has no file format of its own: leave --export out, or use --json")
    if path.name not in exports:
        raise BadOption(f"--export of {game} writes {' or '.join(exports)}, not {path.name!r}")
    if path.exists():
        raise BadOption(f"{path} exists already: remove it, or name another folder")
    if not path.parent.is_dir():
        raise BadOption(f"{path} cannot be written: there is no folder {path.parent}")
    return exports[path.name]


def write_export(record: Record, names: Sequence[str], path: Path) -> None:
    """Writes the match to that file; `names` are the entrants'. Raises BadOption, BadRecord."""
    from matchbox import registry
    from matchbox.match.replay import raising_bad_record

    export = check_export(record.game, path)
    with raising_bad_record(registry.game(record.game), record):
        text = "".join(export(record, names))
    output.write(path, text)


def _offered(game: str) -> Mapping[str, Export]:
    from matchbox.hooks import check_terminal
    from matchbox.registry import package_of

    package = package_of(game)
    name = f"{package}.terminal"
    try:
        terminal = import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return {}
    check_terminal(package, terminal)
    offered: Mapping[str, Export] = getattr(terminal, "EXPORTS", {})
    return offered
