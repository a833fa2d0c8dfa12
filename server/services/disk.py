"""Watches the room on the disk of the data folder, so that work stops before nothing can be stored.

The database is expected on the same disk. Where it is elsewhere, its own server must watch it.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from matchbox.errors import DiskFull

if TYPE_CHECKING:
    from matchbox.settings import Settings


def free_bytes(settings: Settings) -> int | None:
    """Returns the free bytes of the data folder's disk, or None if there is no such folder."""
    try:
        return shutil.disk_usage(settings.data).free
    except OSError:
        return None


def is_full(settings: Settings) -> bool:
    """Whether less room is left than the operator wants to keep free."""
    free = free_bytes(settings)
    return free is not None and free < settings.least_free_mb << 20


def require_room(settings: Settings) -> None:
    """Raises DiskFull if the disk has too little room for an upload."""
    if is_full(settings):
        raise DiskFull(
            "the disk of this platform is almost full, so no file can be taken now; try again "
            "later, and tell an operator if this goes on"
        )
