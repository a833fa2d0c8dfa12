"""Writes a command's binary file, such as a zip, which gets its name once it is complete."""

from __future__ import annotations

import fcntl
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO

from cli import output
from matchbox.errors import BadOption


@contextmanager
def complete_file(path: Path) -> Iterator[IO[bytes]]:
    """Yields a file to write, which gets its name once it is complete.

    Raises BadOption, also if there is a file of that name.
    """
    if path.is_dir():
        raise BadOption(f"{path} is a folder: name a file in it")
    if path.is_file():
        raise BadOption(f"{path} exists already: remove it, or name another file")
    if path.exists():
        raise BadOption(f"{path} is not an ordinary file, and would be replaced: name another file")
    with _ending_like_ctrl_c():
        try:
            _remove_left_parts(path)
            with _new_part(path) as file:
                part = Path(file.name)
                try:
                    yield file
                    file.flush()
                    part.replace(path)
                finally:
                    with suppress(OSError):
                        part.unlink()
        except OSError as error:
            raise BadOption(f"{path} cannot be written: {error.strerror or error}") from error


def _new_part(path: Path) -> IO[bytes]:
    """Opens a temporary file beside the file. It is locked while its writer lives."""
    while True:
        part = path.with_name(f"{path.name}.{token_hex(4)}.part")  # Another may write it, too.
        file = part.open("xb")
        with suppress(OSError):  # Some file systems have no locks.
            fcntl.flock(file, fcntl.LOCK_EX)
        if part.exists():  # Not removed before it was locked.
            return file
        file.close()


def _remove_left_parts(path: Path) -> None:
    """Removes the temporary files whose writers were killed, and says so."""
    form = re.compile(re.escape(path.name) + r"\.[0-9a-f]{8}\.part")
    for part in [one for one in path.parent.iterdir() if form.fullmatch(one.name)]:
        with suppress(OSError), part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()
            output.note(f"{part} was left by a command that was killed, and is removed")


@contextmanager
def _ending_like_ctrl_c() -> Iterator[None]:
    """Makes SIGTERM, as from a time limit, and SIGHUP end the block as Ctrl-C does, so that it
    cleans up."""
    both = (signal.SIGTERM, signal.SIGHUP)
    deadly = [one for one in both if signal.getsignal(one) is signal.SIG_DFL]
    for one in deadly:
        signal.signal(one, signal.default_int_handler)
    try:
        yield
    finally:
        for one in deadly:
            signal.signal(one, signal.SIG_DFL)
