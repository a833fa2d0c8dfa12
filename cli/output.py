"""The output of commands: one JSON document or tables on stdout, everything else on stderr."""

from __future__ import annotations

import codecs
import io
import json
import os
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO, TypeVar

import typer

from cli import whole_file
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from pathlib import Path

    from cli.live import Live
    from matchbox.answers import Answer

T = TypeVar("T")
PASSED_ON: Final = "passed on: "
"""The beginning of a line on a child's stderr that its parent shows as a note."""
_ASCII: Final = {
    "\xb1": "+-",
    "\u2013": "-",
    "\u2026": "...",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
}
"""Characters of our texts, in ASCII."""


class Stopped(Exception):
    """Ends the command, as Ctrl-C does, with this sentence."""


def show_all_characters() -> None:
    """Has stdout and stderr show what their encodings lack: our own characters in ASCII, and
    all others as escapes."""
    codecs.register_error("matchbox", _spelled)
    for stream in (sys.stdout, sys.stderr):
        if not _is_utf_8(stream) and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="matchbox")


def _spelled(error: UnicodeError) -> tuple[str | bytes, int]:
    """The first character that an encoding lacks, in ASCII."""
    if isinstance(error, UnicodeEncodeError):
        if found := _ASCII.get(error.object[error.start]):
            return found, error.start + 1
        error.end = error.start + 1
    return codecs.backslashreplace_errors(error)


def _is_utf_8(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().startswith("utf")


def document(value: Any) -> None:
    """Prints the one JSON document of a command."""
    print(json.dumps(value, indent=2, ensure_ascii=not _is_utf_8(sys.stdout)))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """Prints a table; outside a terminal, its cells separated by tabs, and its title on stderr."""
    if not sys.stdout.isatty():
        if title:
            note(f"{title}:")
        for row in (columns, *rows):
            print(*("" if cell is None else cell for cell in row), sep="\t")
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=title or None, header_style="bold")
    for column in columns:
        shown.add_column(column, overflow="fold")  # Nothing is cut off, such as a password.
    for row in rows:
        shown.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    Console().print(shown)


def listing(
    found: Sequence[Answer], columns: Sequence[str], rows: Iterable[Sequence[object]], as_json: bool
) -> None:
    """Prints the answers of a list: as one document, or as a table with a row for each."""
    if as_json:
        document([one.plain() for one in found])
    else:
        table(columns, rows)


def outcome(found: Mapping[str, Any], text: str, as_json: bool) -> None:
    """Prints what a command has done: as one document, or as a note."""
    if as_json:
        document(found)
    else:
        note(text)


def fields(plain: Mapping[str, Any]) -> None:
    """Prints each text and number as `name: value`. Leaves out everything else, and empty texts."""
    for name, value in plain.items():
        if isinstance(value, str | int | float) and value != "":
            print(f"{name}: {value}")


def plural(number: int, one: str, many: str = "") -> str:
    """The noun of that number, with an s if there is no other plural."""
    return one if number == 1 else many or f"{one}s"


def note(text: str) -> None:
    """Prints one line on stderr; does nothing if that is closed."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def first(items: Iterable[T], most: int) -> list[T]:
    """The first `most` of these items; says on stderr if there are more."""
    found = list(islice(items, most + 1))
    if len(found) > most:
        note(f"There are more than {most:,}; --most shows them.")
    return found[:most]


def raw(text: bytes) -> None:
    """Prints a text in UTF-8, such as CSV: to a file as it is, in whatever encoding stdout has."""
    if sys.stdout.isatty():
        print(text.decode(), end="")
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text)


def write(file: Path, text: str) -> None:
    """Writes a command's file. Raises BadOption if that fails, as on a full disk; an ordinary file
    that was there then stays as it was."""
    try:
        mode = file.lstat().st_mode if os.path.lexists(file) else stat.S_IFREG | 0o666 & ~_umask()
        may = not os.path.lexists(file) or (os.access(file, os.W_OK) and not os.path.ismount(file))
        if stat.S_ISREG(mode) and may and os.access(file.parent, os.W_OK):
            whole_file.replace(file, text, stat.S_IMODE(mode), "utf-8")
        else:  # Such as /dev/stdout, or a link. A file that may not be written is refused.
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadOption(f"{file} cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found


def drop_unwritten() -> None:
    """Drops what stdout does not take, since its disk is full or its reader has gone: else Python
    tries it again at its end, and complains."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_no(text: str = "") -> NoReturn:
    """Ends the command with the exit code 1, which means no."""
    if text:
        note(text)
    raise typer.Exit(1)


def progress() -> AbstractContextManager[Live]:
    """A progress bar on stderr; silent if that is not a terminal."""
    from cli.live import Live

    return Live()
