"""Backs a database up into one file, and restores the file into an empty SQLite or Postgres.

A backup is taken in one read transaction while the platform runs, so it shows the database at one
moment. It is restored in one write transaction, so a target has all of it or nothing.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, delete, func, select

from matchbox.errors import BadBackup, Conflict, Unavailable
from matchbox.settings import Settings
from server.backup import tables
from server.backup.archive import Manifest, Reader, Watch, Writer
from server.db import migrations
from server.db.models import Base, Delivery
from server.db.session import Database

__all__ = [
    "Manifest",
    "Reader",
    "Watch",
    "check",
    "restore",
    "secrets_of",
    "take",
    "waiting_deliveries",
]

_SUFFIX = ".part"


def take(url: str, path: Path, secrets: Mapping[str, str], watch: Watch | None = None) -> Manifest:
    """Writes a backup of the database, and returns its manifest.

    Only its owner can read the file, which gets its name when it is complete. `watch` is called
    with the numbers of rows so far and in all.

    Raises Conflict if the file exists or the database is empty, Unavailable if either fails.
    """
    database = Database(url)
    try:
        with _whole_or_nothing(path) as file, database.read() as session:
            connection = session.connection()
            revision = migrations.revision(connection)
            if revision is None:
                raise Conflict("the database holds nothing of Matchbox's yet; start it once")
            with Writer(file) as writer:
                last_ids = tables.dump(connection, writer, _tables_of(connection, revision), watch)
                writer.finish(
                    secrets,
                    last_ids,
                    release=version("matchbox"),
                    schema=revision,
                    database=connection.dialect.name,
                    made_at=datetime.now(UTC).isoformat(timespec="seconds"),
                )
    finally:
        database.close()
    with Reader(path) as made:
        return made.manifest


def check(path: Path, watch: Watch | None = None) -> Manifest:
    """Reads the whole backup, and returns its manifest.

    Raises BadBackup if it is damaged, truncated, or from a newer release.
    """
    with Reader(path) as reader:
        _refuse_newer(reader)
        reader.check(watch)
        return reader.manifest


def waiting_deliveries(manifest: Manifest) -> int:
    """Returns how many mails and webhook deliveries were waiting when the backup was made."""
    return sum(table.rows for table in manifest.tables if table.name == Delivery.__tablename__)


def restore(
    reader: Reader, url: str, watch: Watch | None = None, *, keep_deliveries: bool = True
) -> int:
    """Fills an empty database from the backup, and brings it to this release's schema.

    Returns how many mails and webhook deliveries were waiting in the backup. They are sent after
    the start, or deleted now unless `keep_deliveries`; their notices stay in the inboxes.

    Raises BadBackup if the file is damaged, truncated, or from a newer release, Conflict if the
    database holds any table, and Unavailable if it cannot be written, as on a full disk.
    """
    _refuse_newer(reader)
    database = Database(url)
    try:
        with database.connect() as connection:
            found = tables.names(connection)
            if found:
                raise Conflict(
                    f"the database is not empty, it has the table {found[0]}; nothing was "
                    "restored. Give an empty one"
                )
            migrations.upgrade(connection, reader.manifest.schema)
            tables.load(connection, reader, watch)
            migrations.upgrade(connection)
            tables.analyze(connection)
            waiting = connection.scalar(select(func.count()).select_from(Delivery)) or 0
            if not keep_deliveries:
                connection.execute(delete(Delivery))
        database.checkpoint()
        return waiting
    finally:
        database.close()


def secrets_of(settings: Settings) -> dict[str, str]:
    """The settings without which the data cannot be used, by name. Leaves out those that are not
    set."""
    known = {
        "MATCHBOX_SECRET_KEY": settings.secret_key,
        "MATCHBOX_ARENA_TOKEN": settings.arena_token,
    }
    return {name: value for name, value in known.items() if value}


def _tables_of(connection: Connection, revision: str) -> list[str]:
    """The names of Matchbox's tables: those of this release's schema; at an older schema, all
    tables."""
    if revision == migrations.head():
        return list(Base.metadata.tables)
    return [name for name in tables.names(connection) if name != tables.REVISION_TABLE]


def _refuse_newer(reader: Reader) -> None:
    manifest = reader.manifest
    if not migrations.knows(manifest.schema):
        raise BadBackup(
            f"{reader.path} was made by Matchbox {manifest.release} with schema "
            f"{manifest.schema}, and this is Matchbox {version('matchbox')}, which knows schemas "
            f"up to {migrations.head()}; restore it with that release, or a newer one"
        )


@contextmanager
def _whole_or_nothing(path: Path) -> Iterator[IO[bytes]]:
    """Opens a file that gets its name at the end of the block, and disappears on an error.

    It is locked meanwhile, so that no other process takes it for what a killed one has left. Raises
    Conflict if the file exists or another process is writing it, and Unavailable.
    """
    _refuse_existing(path)
    unfinished = path.with_name(f".{path.name}{_SUFFIX}")
    try:
        with _new_file(unfinished) as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                _refuse_existing(path)
                unfinished.rename(path)
            except BaseException:
                with suppress(OSError):
                    unfinished.unlink()
                raise
    except BlockingIOError as error:
        raise Conflict(f"another command is writing {path}: wait for it") from error
    except FileExistsError as error:
        raise Conflict(
            f"another command is writing {path}: wait for it, or, if none is, delete {unfinished}"
        ) from error
    except OSError as error:
        raise Unavailable(
            f"{path} could not be written: {error.strerror}; no part of it was kept"
        ) from error


def _new_file(path: Path) -> IO[bytes]:
    """Opens a new file and locks it; first removes the one that a killed process has left.

    Raises BlockingIOError if another process is writing it, and FileExistsError if one may be.
    """
    # A network disk locks only a file that is open for writing.
    with suppress(FileNotFoundError), path.open("r+b") as left:
        if not _lock(left):
            raise _exists(path)
        path.unlink()
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    try:
        _lock(file)
    except BaseException:
        file.close()
        raise
    if os.fstat(file.fileno()).st_nlink:
        return file
    file.close()  # Another process has just taken it for what a killed one has left.
    raise _exists(path)


def _exists(path: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def _lock(file: IO[bytes]) -> bool:
    """Locks the file for this process; returns False if its disk has no locks, as some network
    disks. Raises BlockingIOError if another process has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise Conflict(f"{path} exists; give the backup another name, or move that file away")
