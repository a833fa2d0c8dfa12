"""The option `--data` of a command, which names a folder. Refuses an empty name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from matchbox.errors import BadOption


def folder_of(text: str | Path) -> Path:
    """Returns the folder that the option names. Raises BadOption for an empty text, which would be
    the current folder: it comes from a variable of the shell that is not set."""
    if text == "":
        raise BadOption("--data is empty: name a folder")
    return Path(text)


def data_option(meaning: str, **more: Any) -> Any:
    """Returns the declaration of an option `--data` with that meaning."""
    return typer.Option(help=meaning, parser=folder_of, metavar="PATH", **more)
