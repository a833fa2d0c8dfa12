"""The arena's current job, on its own disk. A killed arena resumes the job at its next start.

Without the journal, the broker gives a killed worker's task to another worker only after an hour.
It also counts the deaths of the arena for each job, since another one may come before the job does
again. Knows a file; knows no queue.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec
import structlog

from matchbox.match import wire

if TYPE_CHECKING:
    from pathlib import Path

MAX_ATTEMPTS: Final = 2
"""A job is reported as lost if its arena has died this many times during it."""
_OLD_S: Final = 24 * 3600.0
_DEATHS_KEPT: Final = 10
"""The number of other jobs at which the arena died that it remembers."""

log = structlog.get_logger(__name__)


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """An unfinished job, and the jobs before it that were never finished here."""

    task: str
    """Empty if the arena plays nothing."""
    message: dict[str, Any]
    attempts: int
    """How often the job was begun here."""
    died: dict[str, tuple[int, float]] = {}
    """By subject: how often the arena died during that job, and the Unix time of the last."""


_NOTHING: Final = Entry("", {}, 0)


class Journal:
    """A file with the one job that is being played, and with the deaths at a few others.

    If the file cannot be written, the arena plays without it: the server sends the job of a killed
    arena again once its lease has ended.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def delete_old(self) -> None:
        """Deletes the files of other arenas that are older than a day. In containers each arena has
        another name, so nobody would take up the job of one that was killed."""
        for path in self._path.parent.glob("*@*.job"):
            with suppress(OSError):
                if path != self._path and time.time() - path.stat().st_mtime > _OLD_S:
                    path.unlink()

    def begin(self, task: str, message: dict[str, Any]) -> None:
        """Writes the job down, before it is played."""
        left, now = self._read(), time.time()
        died = {job: death for job, death in left.died.items() if now - death[1] < _OLD_S}
        if left.task:
            died[_subject(left.task, left.message)] = left.attempts, now
        attempts = died.pop(_subject(task, message), (0, now))[0] + 1
        self._write(Entry(task, message, attempts, dict(list(died.items())[-_DEATHS_KEPT:])))

    def end(self) -> None:
        """Forgets the job: it is done, or back in its queue. Remembers its deaths, if any: it may
        come again, as this message may be an old one."""
        left = self._read()
        died = left.died
        if left.attempts > 1:
            died = {**died, _subject(left.task, left.message): (left.attempts - 1, time.time())}
        if not died or not self._write(Entry("", {}, 0, died)):
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def unfinished(self) -> Entry | None:
        """The job that was being played when the arena died, or None."""
        left = self._read()
        return left if left.task else None

    def _read(self) -> Entry:
        with suppress(OSError, ValueError, msgspec.MsgspecError):
            return msgspec.json.decode(self._path.read_bytes(), type=Entry)
        return _NOTHING

    def _write(self, entry: Entry) -> bool:
        """Whether it could be written."""
        draft = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with draft.open("wb") as file:
                os.fchmod(file.fileno(), 0o600)  # The message has the attempt's token.
                file.write(msgspec.json.encode(entry))
            draft.replace(self._path)
        except OSError as error:  # Such as a full disk.
            log.warning("journal.not_written", why=str(error))
            return False
        return True


def _subject(task: str, message: dict[str, Any]) -> str:
    """The job's name in all its attempts, whose messages differ."""
    kind = getattr(wire.JOBS.get(task), "kind", "")
    return f"{kind} {message.get(kind)}"
