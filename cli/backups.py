"""`matchbox admin backup`, `check` and `restore`: a whole platform in one file.

Knows data folders and the settings of the environment; `server.backup` does the work.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from cli.data_option import data_option
from cli.playing import JsonOption
from matchbox.errors import Conflict

if TYPE_CHECKING:
    from server.backup import Manifest, Watch

DataOption = Annotated[Path, data_option("the data folder", envvar="MATCHBOX_DATA")]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="the backup")]


def backup(file: FileArgument, data: DataOption = Path("data"), json: JsonOption = False) -> None:
    """Write everything into one file, even while the platform runs."""
    from cli.folder import settings_for
    from server import backup as backups
    from server.context import database_url

    settings = settings_for(data)
    secrets = backups.secrets_of(settings)
    with _progress("backing up") as watch:
        made = backups.take(database_url(settings), file, secrets, watch)
    result = "has everything" if secrets else "has all tables"
    _show(file, made, json, result, secrets=bool(secrets))
    if not secrets:
        output.note(
            f"It has no secrets: {data} is not a data folder, and the environment has none. Name "
            "the folder with --data, or everybody must log in again after a restore."
        )


def check(file: FileArgument, json: JsonOption = False) -> None:
    """Read a whole backup, and say whether it can be restored."""
    from server import backup as backups

    with _progress("checking") as watch:
        found = backups.check(file, watch)
    _show(file, found, json, "is whole")


def restore(
    file: FileArgument,
    data: Annotated[Path, data_option("a new or empty folder, for the data folder")],
    database: Annotated[
        str, typer.Option(help="SQLAlchemy address of an empty database; SQLite if left out")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="only check the file and the folder")
    ] = False,
    keep_deliveries: Annotated[
        bool,
        typer.Option(
            "--keep-deliveries",
            help="send the mails and webhook deliveries that were waiting in the backup",
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Make a data folder, and fill a database, from a backup."""
    from cli import folder
    from server import backup as backups

    url = database or _address_in_environment()
    _check_address(url)
    _refuse_full(data)
    waiting = 0
    with _progress("checking" if dry_run else "restoring") as watch:
        if dry_run:
            found = backups.check(file, watch)
            waiting = backups.waiting_deliveries(found)
        else:
            with backups.Reader(file) as reader:
                found, secrets = reader.manifest, reader.secrets()
                fill = partial(backups.restore, reader, keep_deliveries=keep_deliveries)
                with _new_folder(data) as place:
                    folder.keep_secrets(place, secrets)  # No database ever lacks its secrets.
                    waiting = fill(url, watch) if url else _into_folder(place, fill, watch)
                    folder.keep_database(place, url)
    result = "can be restored" if dry_run else f"is restored in {data}"
    _show(file, found, json, result, waiting_deliveries=waiting)
    if waiting and not dry_run:
        output.note(_about_deliveries(waiting, kept=keep_deliveries))
    if url and not dry_run:
        output.note("Start with MATCHBOX_DATABASE_URL set to that database.")


def _about_deliveries(waiting: int, *, kept: bool) -> str:
    if waiting == 1:
        many, they, were, them = "A mail or webhook delivery", "it", "was", "it"
    else:
        many, they, were, them = f"{waiting:,} mails and deliveries", "they", "were", "them"
    if kept:
        return f"{many} waiting in the backup will be sent, also if {they} {were} sent after it."
    return (
        f"{many} {were} waiting in the backup and will not be sent, because {they} may have been "
        f"sent since; the notices are in the inboxes. --keep-deliveries sends {them}."
    )


@contextmanager
def _new_folder(data: Path) -> Iterator[Path]:
    """Makes the data folder, which `_refuse_full` let pass; it is empty again if the block fails.

    Raises Conflict if another command is restoring into it.
    """
    from cli import folder

    os.umask(0o077)
    place = folder.make(data)
    with _locked(place):
        left = [place / name for name in folder.RESTORING_FILES if (place / name).exists()]
        for draft in left:
            draft.unlink()
        if left:
            output.note(f"{place} was left by a restore that was killed; it begins again")
        (place / folder.RESTORING).touch()
        try:
            yield place
            (place / folder.RESTORING).unlink(missing_ok=True)
        except BaseException:
            (place / folder.RESTORING).unlink(missing_ok=True)
            folder.drop_secrets(place)
            for made in (folder.logs(place), folder.arena(place)):
                made.rmdir()
            raise


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Locks the folder itself while the block runs. Raises Conflict if another restore has it."""
    handle = os.open(place, os.O_RDONLY)
    try:
        with suppress(OSError):  # Some file systems have no locks.
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(f"another command is restoring into {place}; wait for it") from None
        yield
    finally:
        os.close(handle)


def _into_folder(place: Path, fill: Callable[..., int], watch: Watch | None) -> int:
    """Restores into a SQLite file under another name, and renames it when it is complete."""
    from cli import folder
    from server.context import sqlite_url

    file = place / folder.RESTORING
    try:
        waiting = fill(sqlite_url(file), watch)
        file.rename(place / "matchbox.db")
        return waiting
    finally:
        for name in folder.RESTORING_FILES:
            (place / name).unlink(missing_ok=True)


def _address_in_environment() -> str:
    """The setting with the database's address, or what its file has; empty without either."""
    from matchbox.settings import with_secrets

    return with_secrets(os.environ, open).get("MATCHBOX_DATABASE_URL", "")


def _check_address(url: str) -> None:
    """Raises BadSetting for an address that the setting would refuse, too."""
    from matchbox.settings import read_settings
    from server.context import database_url

    database_url(read_settings({"MATCHBOX_DATABASE_URL": url}))


def _refuse_full(data: Path) -> None:
    """Raises Conflict unless the folder is new, empty, or left by a restore that was killed."""
    from cli import folder

    if not data.exists():
        return
    found = {one.name for one in data.iterdir()} if data.is_dir() else {"a file"}
    begun = folder.RESTORING in found and found <= {*folder.RESTORING_FILES, *folder.MADE}
    if found and not begun:
        raise Conflict(f"{data} is not empty; name a folder that is new or empty")


@contextmanager
def _progress(what: str) -> Iterator[Watch]:
    with output.progress() as live:
        task = live.add_task(what, total=None)
        yield lambda done, total: live.update(task, completed=done, total=total)


def _show(file: Path, found: Manifest, json: bool, result: str, **more: int) -> None:
    """Prints what became of a backup; `more` are further fields of the JSON document."""
    document = {
        "file": str(file),
        "release": found.release,
        "schema": found.schema,
        "database": found.database,
        "made_at": found.made_at,
        "rows": found.rows,
        **more,
    }
    text = (
        f"{file} {result}: {found.rows:,} rows from {found.database}, of {found.made_at}, "
        f"schema {found.schema} of Matchbox {found.release}."
    )
    output.outcome(document, text, json)
