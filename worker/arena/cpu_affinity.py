"""The processor's cores: lists them, and gives each arena one of its own.

A referee and its bots exchange messages all the time, which is several times as fast on one core as
on two. Knows the scheduler and a folder of lock files; does not know the programs on a core.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import structlog

log = structlog.get_logger(__name__)

CAN_PIN: Final = hasattr(os, "sched_setaffinity")
"""Whether this system can keep a process on a core."""

FOLDER: Final = "cores"
"""The name of the folder of an installation's lock files."""

_held: Final[list[int]] = []
"""The lock of this process's core. It stays open, and so locked, until the process ends."""


def usable_cores() -> list[int]:
    """The cores that this process may use, which may be fewer than the machine has."""
    if CAN_PIN:
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pin(core: int) -> None:
    """Keeps this process and its children on one core, if the system can.

    They take turns there: a process that wakes another runs until it waits. Otherwise a bot that
    has answered is often interrupted before it waits, and must be scheduled once more only to wait.
    """
    if CAN_PIN:
        os.sched_setaffinity(0, {core})
        _schedule(os.SCHED_BATCH)


def unpin(before: Collection[int]) -> None:
    """Lets this process and its later children run on these cores again, as usual."""
    if CAN_PIN:
        os.sched_setaffinity(0, before)
        _schedule(os.SCHED_OTHER)


def _schedule(policy: int) -> None:
    with suppress(OSError):  # This only saves time, and a container's filter may forbid it.
        os.sched_setscheduler(0, policy, os.sched_param(0))


def claim(folder: Path, pin_to: Callable[[int], None] = pin) -> int | None:
    """Claims a core for this process and its children until the process ends; returns its number.

    The core is theirs alone among the processes that claim in this folder. None if others hold all
    cores, if the system cannot do it, or if nothing can be written there: then the process may run
    on any core.
    """
    if not CAN_PIN:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        log.warning("core.not_claimed", why=str(error))
        return None
    return _lock_first(folder, usable_cores(), pin_to)


@contextmanager
def claimed() -> Iterator[int | None]:
    """Claims a core as `claim` does while the block runs, among the commands of this account.

    It begins at the last core: arenas, which claim in folders of their own, begin at the first.
    """
    before, held, core = usable_cores(), len(_held), None
    folder = Path(tempfile.gettempdir()) / f"matchbox-{os.getuid()}-cores"
    with suppress(OSError):  # It only saves time: without it, any core will do.
        folder.mkdir(mode=0o700, exist_ok=True)
        if CAN_PIN and folder.lstat().st_uid == os.getuid():
            core = _lock_first(folder, before[::-1], pin)
    try:
        yield core
    finally:
        if core is not None:
            unpin(before)
            os.close(_held.pop(held))


def _lock_first(folder: Path, cores: Sequence[int], pin_to: Callable[[int], None]) -> int | None:
    """The first core of these that no other process has locked in the folder; locks it."""
    for core in cores:
        try:
            lock = os.open(folder / f"core-{core}", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:  # Such as a full disk, or a file of another account.
            continue
        with suppress(OSError):  # Another process holds it, or it was just taken from this machine.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            pin_to(core)
            _held.append(lock)
            return core
        os.close(lock)
    return None
