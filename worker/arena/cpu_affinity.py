"""The processor's cores: which there are, and one for each arena.

A referee and its bots talk all the time, and are several times as fast on one core as across two.
Knows the scheduler and a folder of lock files; what runs on a core is not its business.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

CAN_PIN: Final = hasattr(os, "sched_setaffinity")
"""Whether this system keeps a process on a core where it is told to."""

_held: Final[list[int]] = []
"""The lock of this process's core: open, and so its own, until the process ends."""


def usable() -> list[int]:
    """The cores that this process may use, which may be fewer than the machine has."""
    if CAN_PIN:
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pin(core: int) -> None:
    """Keeps this process and its children on one core, where the system can.

    They take turns there: who has woken another goes on until it waits itself. Else a bot that has
    answered is often put aside before it waits, and run once more to do so.
    """
    if CAN_PIN:
        os.sched_setaffinity(0, {core})
        _schedule(os.SCHED_BATCH)


def unpin(before: Collection[int]) -> None:
    """Lets this process and its later children run on these cores again, as any other."""
    if CAN_PIN:
        os.sched_setaffinity(0, before)
        _schedule(os.SCHED_OTHER)


def _schedule(policy: int) -> None:
    with suppress(OSError):  # It only saves time, and a container's filter may forbid it.
        os.sched_setscheduler(0, policy, os.sched_param(0))


def claim(folder: Path, keep: Callable[[int], None] = pin) -> int | None:
    """The core that is now this process's and its children's alone, until it ends.

    Alone among those that claim in this folder. None where others have all of them, and where
    the system cannot: then the process stays on any core.
    """
    if not CAN_PIN:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    return _first(folder, usable(), keep)


@contextmanager
def claimed() -> Iterator[int | None]:
    """As `claim`, among the commands of this account and while the block runs.

    From the last core on: arenas, which claim in folders of their own, begin at the first.
    """
    before, held, core = usable(), len(_held), None
    folder = Path(tempfile.gettempdir()) / f"matchbox-{os.getuid()}-cores"
    with suppress(OSError):  # It only saves time: without the folder it stays on any core.
        folder.mkdir(mode=0o700, exist_ok=True)
        if CAN_PIN and folder.lstat().st_uid == os.getuid():
            core = _first(folder, before[::-1], pin)
    try:
        yield core
    finally:
        if core is not None:
            unpin(before)
            os.close(_held.pop(held))


def _first(folder: Path, among: Sequence[int], keep: Callable[[int], None]) -> int | None:
    """The first of these cores that nobody else has locked in the folder, now locked and kept."""
    for core in among:
        lock = os.open(folder / f"core-{core}", os.O_RDWR | os.O_CREAT, 0o600)
        with suppress(OSError):  # Another's, or taken from this machine a moment ago.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            keep(core)
            _held.append(lock)
            return core
        os.close(lock)
    return None
