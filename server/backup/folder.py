"""The folder of the automatic backups: those on a schedule, and those before upgrades.

Names them, makes them, and deletes the oldest; leaves all other files alone.
"""

from __future__ import annotations

import fcntl
import re
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from matchbox.errors import Unavailable
from server.backup import secrets_of, take
from server.context import database_url
from server.db import migrations
from server.db.session import Database

if TYPE_CHECKING:
    from matchbox.settings import Settings
    from server.backup import Watch

SCHEDULED: Final = "matchbox"
BEFORE: Final = "before"
_UNFINISHED: Final = re.compile(r"\.(matchbox|before-\w+)-\d{8}T\d{6}Z\.backup\.part")


def folder_of(settings: Settings) -> Path:
    """Returns the folder: the setting, or `backups` in the data folder."""
    return Path(settings.backup_folder or Path(settings.data) / "backups").resolve()


def take_scheduled(
    settings: Settings, *, now: int, expected: int, watch: Watch | None = None
) -> Path:
    """Makes a backup on the schedule, deletes the oldest beyond the number kept; returns its path.

    `expected` is its expected size in bytes. Raises Unavailable if it fails, or the disk has too
    little room for it; then no other backup is deleted.
    """
    folder = _made(settings)
    _delete_remains(folder)
    _require_room(folder, expected, settings)
    return _take(settings, folder, SCHEDULED, now, watch)


def take_before_upgrade(settings: Settings, *, now: int) -> Path | None:
    """Makes a backup if the database has an older schema that an upgrade would change.

    Returns its path; None if there is nothing to change, or the setting is off. Raises Unavailable
    if the backup fails: then the upgrade must not run.
    """
    if not settings.backup_before_upgrade:
        return None
    found = older_schema(database_url(settings))
    if found is None:
        return None
    try:
        folder = _made(settings)
        _delete_remains(folder)
        return _take(settings, folder, f"{BEFORE}-{found}", now, None)
    except Unavailable as error:
        raise Unavailable(
            f"the database has schema {found} and is not upgraded, because the backup before it "
            f"failed: {error}. Make room, or give another folder with MATCHBOX_BACKUP_FOLDER; "
            "MATCHBOX_BACKUP_BEFORE_UPGRADE=false upgrades without a backup"
        ) from error


def backups_in(folder: Path, kind: str) -> list[Path]:
    """Returns the folder's backups of this kind, SCHEDULED or BEFORE, the oldest first."""
    pattern = re.compile(rf"{kind}(-\w+)?-\d{{8}}T\d{{6}}Z\.backup")
    found = [path for path in folder.iterdir() if pattern.fullmatch(path.name)]
    return sorted(found, key=_time_in)


def _time_in(path: Path) -> str:
    """The time in a backup's name, which sorts as text."""
    return path.name.rpartition("-")[2]


def _take(settings: Settings, folder: Path, kind: str, now: int, watch: Watch | None) -> Path:
    moment = datetime.fromtimestamp(now / 1000, UTC)
    path = folder / f"{kind}-{moment:%Y%m%dT%H%M%SZ}.backup"
    take(database_url(settings), path, secrets_of(settings), watch)
    _delete_oldest(path, kind.partition("-")[0], settings.backups_kept)
    return path


def _made(settings: Settings) -> Path:
    folder = folder_of(settings)
    try:
        if not settings.backup_folder:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        elif not folder.is_dir():  # Its disk may not be mounted.
            raise Unavailable(
                f"there is no folder {folder} for backups (MATCHBOX_BACKUP_FOLDER): mount its "
                "disk, or make the folder"
            )
    except OSError as error:
        raise Unavailable(f"{folder} cannot be the folder of backups: {error.strerror}") from error
    return folder


def _require_room(folder: Path, expected: int, settings: Settings) -> None:
    free = shutil.disk_usage(folder).free
    if free - expected < settings.least_free_mb << 20:
        raise Unavailable(
            f"the disk of {folder} has only {free >> 20:,} MB left, and a backup may take "
            f"{expected >> 20:,} MB, with {settings.least_free_mb:,} MB left "
            "(MATCHBOX_LEAST_FREE_MB); no backup was made: free some, or set another "
            "MATCHBOX_BACKUP_FOLDER"
        )


def _delete_oldest(made: Path, kind: str, kept: int) -> None:
    """Deletes all but the newest backups of this kind.

    `made` has just been made, so those with a later time, from a wrong clock, count as the oldest.
    An upgrade that fails and is tried again makes one each time: of these, all between the first
    and the newest go before any other.
    """
    folder = made.parent
    found = sorted(backups_in(folder, kind), key=lambda path: _time_in(path) <= _time_in(made))
    if kind == BEFORE:
        newest = {_upgrade_of(path): path for path in found}
        first = {_upgrade_of(path): path for path in reversed(found)}
        ends = {*newest.values(), *first.values()}
        found.sort(key=lambda path: path in ends)
    for path in found[:-kept]:
        _delete(path)


def _upgrade_of(path: Path) -> str:
    """The part of a backup's name that says before which upgrade it was made."""
    return path.name.rpartition("-")[0]


def _delete_remains(folder: Path) -> None:
    """Deletes the unfinished files of backups that were killed.

    A file stays while a process is writing it and so holds its lock, and on a disk without locks.
    """
    for path in folder.iterdir():
        if _UNFINISHED.fullmatch(path.name):
            with suppress(OSError), path.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


def _delete(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def older_schema(url: str) -> str | None:
    """Returns the schema of a database that an upgrade would change; None for another one."""
    database = Database(url)
    try:
        with database.read() as session:
            found = migrations.revision(session.connection())
    finally:
        database.close()
    return found if found and found != migrations.head() and migrations.knows(found) else None
