"""The processor's cores: which there are, and one for each arena.

A referee and its bots talk all the time, and are several times as fast on one core as across two.
Knows the scheduler and a folder of lock files; what runs on a core is not its business.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Collection
from contextlib import suppress
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
    for core in usable():
        lock = os.open(folder / f"core-{core}", os.O_RDWR | os.O_CREAT, 0o600)
        with suppress(OSError):  # Another's, or taken from this machine a moment ago.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            keep(core)
            _held.append(lock)
            return core
        os.close(lock)
    return None
