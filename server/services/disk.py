"""Watches the room on disks, so that work stops before nothing can be stored.

The database is expected on one of them. Where it is elsewhere, its own server must watch it.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from matchbox.errors import DiskFull

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matchbox.settings import Settings


class FreeSpace(NamedTuple):
    """The free bytes of a disk. `of` names the folder on it: its path, or "the data folder"."""

    of: str
    free: int


def least_room(settings: Settings) -> FreeSpace | None:
    """Returns the room of the watched disk that has the least; None if no folder exists."""
    found = [FreeSpace(of, free) for of, free in _watched(settings) if free is not None]
    return min(found, key=lambda room: room.free, default=None)


def missing_folders(settings: Settings) -> list[str]:
    """Returns the folders of MATCHBOX_DISKS that do not exist."""
    return [of for of, free in _watched(settings) if free is None and settings.disks]


def is_full(settings: Settings) -> bool:
    """Whether a watched disk has less room left than the operator wants to keep free."""
    room = least_room(settings)
    return room is not None and room.free < settings.least_free_mb << 20


def require_room(settings: Settings) -> None:
    """Raises DiskFull if a watched disk has too little room for an upload."""
    if is_full(settings):
        raise DiskFull(
            "the disk of this platform is almost full, so no file can be taken now; try again "
            "later, and tell an operator if this goes on"
        )


def _watched(settings: Settings) -> Iterator[tuple[str, int | None]]:
    """Yields each watched folder with the free bytes of its disk, or None if there is no folder."""
    if not settings.disks:
        yield "the data folder", _free(settings.data)
        return
    for folder in map(str.strip, settings.disks.split(",")):
        yield folder, _free(folder)


def _free(folder: str) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
