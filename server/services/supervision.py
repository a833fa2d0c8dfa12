"""The sign of life of `matchbox up`: it locks a file of the data folder, and touches it.

A platform under containers or systemd has no such file, or no process holds its lock.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

LOCK: Final = "up.lock"
EVERY_MS: Final = 10_000
"""The least time between two signs, in ms."""
LATE_MS: Final = 45_000
"""`matchbox up` hangs if its last sign is older than this."""


class Silence(NamedTuple):
    """The time for which `matchbox up` has given no sign of life, and its process id."""

    ms: int
    pid: str


def give_sign(folder: Path) -> None:
    """Touches the lock if the last sign is so old that the next one is due."""
    lock = folder / LOCK
    with suppress(OSError):
        if abs(_age_ms(lock.stat(), time.time_ns() // 1_000_000)) >= EVERY_MS:
            os.utime(lock)


def silence(data: str, *, now: int) -> Silence | None:
    """Returns the silence of the `matchbox up` that runs in the folder; None if all is well."""
    with suppress(OSError), (Path(data) / LOCK).open() as lock:
        age = _age_ms(os.fstat(lock.fileno()), now)
        if age > LATE_MS and _is_held(lock.fileno()):
            return Silence(age, lock.read().strip())
    return None


def _age_ms(found: os.stat_result, now: int) -> int:
    return now - found.st_mtime_ns // 1_000_000


def _is_held(descriptor: int) -> bool:
    """Whether another process has the lock; if not, this one has it until the file is closed."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
