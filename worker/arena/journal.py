"""The arena's current job, on its own disk. A killed arena resumes the job at its next start.

Without the journal, the broker gives a killed worker's task to another worker only after an hour.
Knows a file; knows no queue.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import structlog

if TYPE_CHECKING:
    from pathlib import Path

MAX_ATTEMPTS: Final = 2
"""A job is reported as lost if its arena has died this many times during it."""

log = structlog.get_logger(__name__)


class Entry(NamedTuple):
    """An unfinished job: its task, its message, and how often it was begun."""

    task: str
    message: dict[str, Any]
    attempts: int


class Journal:
    """A file with the one job that is being played.

    If the file cannot be written, the arena plays without it: the server sends the job of a killed
    arena again once its lease has ended.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def begin(self, task: str, message: dict[str, Any]) -> None:
        """Writes the job down, before it is played."""
        left = self.unfinished()
        attempts = left.attempts + 1 if left and left.message == message else 1
        draft = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with draft.open("wb") as file:
                os.fchmod(file.fileno(), 0o600)  # The message has the attempt's token.
                file.write(msgspec.json.encode(Entry(task, message, attempts)))
            draft.replace(self._path)
        except OSError as error:  # Such as a full disk.
            log.warning("journal.not_written", why=str(error))

    def end(self) -> None:
        """Forgets the job: it is done, or back in its queue."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def unfinished(self) -> Entry | None:
        """The job that was being played when the arena died, or None."""
        with suppress(OSError, ValueError, msgspec.MsgspecError):
            return msgspec.json.decode(self._path.read_bytes(), type=Entry)
        return None
