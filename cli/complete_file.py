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
        raise BadOption(f"{path} is no ordinary file, and would be replaced: name another file")
    with _ending_like_ctrl_c():
        try:
            _remove_left_drafts(path)
            with _new_draft(path) as file:
                draft = Path(file.name)
                try:
                    yield file
                    file.flush()
                    draft.replace(path)
                finally:
                    with suppress(OSError):
                        draft.unlink()
        except OSError as error:
            raise BadOption(f"{path} cannot be written: {error.strerror or error}") from error


def _new_draft(path: Path) -> IO[bytes]:
    """Opens a draft of the file. It is locked while its writer lives."""
    while True:
        draft = path.with_name(f"{path.name}.{token_hex(4)}.part")  # Another may write it, too.
        file = draft.open("xb")
        with suppress(OSError):  # Some file systems have no locks.
            fcntl.flock(file, fcntl.LOCK_EX)
        if draft.exists():  # Not removed before it was locked.
            return file
        file.close()


def _remove_left_drafts(path: Path) -> None:
    """Removes the drafts of the file whose writers were killed, and says so."""
    form = re.compile(re.escape(path.name) + r"\.[0-9a-f]{8}\.part")
    for draft in [one for one in path.parent.iterdir() if form.fullmatch(one.name)]:
        with suppress(OSError), draft.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.unlink()
            output.note(f"{draft} was left by a command that was killed, and is removed")


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
