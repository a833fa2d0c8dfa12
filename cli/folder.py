"""The data folder of `matchbox up`, with its secrets. One platform uses it at a time.

Knows files; starts nothing.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import IO, Final

from cli import whole_file
from matchbox.errors import BadSetting, Conflict, Unavailable
from matchbox.settings import PREFIX, Settings, read_settings, with_secrets
from server.services.supervision import LOCK

SECRETS: Final = ("MATCHBOX_SECRET_KEY", "MATCHBOX_ARENA_TOKEN")
_FILE: Final = "secrets.json"
_ADDRESS: Final = "address"
_DATABASE: Final = "database"
"""The file with the address of a database that is not in the folder, without its password."""
_RETENTION: Final = "retention.json"
"""The file with the settings that say for how many days data are kept."""
RESTORING: Final = "restoring.db"
"""Marks a restore that is under way, or was killed; its database, if that is in the folder."""
RESTORING_FILES: Final = (RESTORING, f"{RESTORING}-wal", f"{RESTORING}-shm")
MADE: Final = frozenset({"logs", "arena", _FILE})
"""What a folder holds that `make` and `keep_secrets` have made."""
_SIGNS: Final = ({_FILE}, {"matchbox.db"}, {"logs", "arena"})
"""Any of these sets of names shows a data folder, of this or an earlier release."""
_OF_A_NEW_DISK: Final = "lost+found"
_MEMORY: Final = Path("/dev/shm")  # Only a folder of this account's own is used.


def make(data: Path) -> Path:
    """Makes the folder, closed to everybody else.

    Raises BadSetting if that is impossible, or if the folder is used for something else.
    """
    folder = data.resolve()
    if "?" in str(folder):  # It ends the path in the address of the database.
        raise BadSetting(f"{folder} cannot be the data folder, because its path has a ?: move it")
    try:
        _refuse_used(folder)
        for place in (folder, logs(folder), arena(folder)):
            place.mkdir(parents=True, exist_ok=True)
            place.chmod(0o700)
    except OSError as error:
        why = f"{error.strerror}{about_owner(error)}"
        raise BadSetting(f"{data} cannot be the data folder: {why}") from error
    return folder


def _refuse_used(folder: Path) -> None:
    """Refuses a folder that others use or that holds something else: it would be closed to them.

    Raises BadSetting or OSError.
    """
    try:
        status = folder.stat()
        found = {one.name for one in folder.iterdir()}
    except FileNotFoundError:
        return
    if status.st_mode & stat.S_ISVTX:
        raise BadSetting(
            f"{folder} cannot be the data folder, because every account may keep files there: name "
            "a folder in it"
        )
    if any(signs <= found for signs in _SIGNS):
        return
    if status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(folder))
    if others := sorted(found - {_OF_A_NEW_DISK}):
        raise BadSetting(
            f"{folder} cannot be the data folder, because it holds something else, such as "
            f"{others[0]}: name a folder that is new or empty"
        )


def about_owner(error: OSError) -> str:
    """Says whose the file or folder is, if this account may not use it because it is another's."""
    if error.errno not in (errno.EACCES, errno.EPERM) or not isinstance(error.filename, str):
        return ""
    path = Path(error.filename).absolute()
    for place in (path, *path.parents):
        # A folder may hide what is in it, and an owner may have no name.
        with suppress(OSError, KeyError):
            if place.stat().st_uid == os.geteuid():
                return ""
            return f"; it belongs to the account {place.owner()}, so run this as that account"
    return ""


def logs(folder: Path) -> Path:
    """The folder of the children's output."""
    return folder / "logs"


def metrics(folder: Path) -> Path:
    """The folder of the web servers' counters, in memory if the system has such a place.

    The servers map these files. On a full disk, a write to a mapped file would end the process.
    Without a place in memory, the folder is below the data folder.
    """
    name = f"matchbox-{os.getuid()}-{hashlib.sha256(bytes(folder)).hexdigest()[:12]}"
    place = _MEMORY / name
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        if place.is_symlink() or place.stat().st_uid != os.getuid():
            return folder / "metrics"
    except OSError:
        return folder / "metrics"
    return place


def arena(folder: Path) -> Path:
    """The part of the data folder that belongs to arenas. They know no other."""
    return folder / "arena"


def _opened_lock(folder: Path) -> IO[str]:
    try:
        return (folder / LOCK).open("a+")
    except OSError as error:
        raise BadSetting(
            f"{folder} cannot be the data folder, nothing can be written there: {error.strerror}"
            f"{about_owner(error)}"
        ) from error


def _refuse_restoring(folder: Path) -> None:
    if (folder / RESTORING).exists():
        raise Conflict(
            f"a restore into {folder} has not ended: wait for it, or if it was killed, run it again"
        )


def was_started(folder: Path) -> bool:
    """Whether a platform was started in this folder, and may be running."""
    return (folder / LOCK).exists()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Locks the folder for this process while the block runs.

    A process that is killed releases its lock. Raises Conflict if another has it, or if a restore
    into the folder has not ended.
    """
    _refuse_restoring(folder)
    with _opened_lock(folder) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            pid = lock.read().strip() or "another process"
            raise Conflict(
                f"Matchbox is already running on {folder} (process {pid}): stop it first, or "
                "choose another folder with --data"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def check_in_place(folder: Path, begun: os.stat_result) -> None:
    """Raises Conflict if the folder is no longer at its path; `begun` is its status at the start.

    Programs that start, and connections that open, would make another one there, with an empty
    database.
    """
    try:
        in_place = os.path.samestat(folder.stat(), begun)
    except FileNotFoundError:
        in_place = False
    except OSError:  # Such as a network that is away.
        return
    if not in_place:
        raise Conflict(
            f"{folder} was moved or deleted while Matchbox ran on it, so Matchbox has stopped: "
            "start it again with --data and the folder's new place, or restore a backup"
        )


def environment(folder: Path, port: int, given: Mapping[str, str]) -> dict[str, str]:
    """The settings of a platform in this folder. Those in `given` take precedence; secrets are made
    once.

    Secrets that are in files are read. Raises BadSetting, also if the platform in this folder has
    its database elsewhere and `given` has no address of one: a new, empty platform would begin.
    """
    read = with_secrets(given, open)
    known = {name: value for name, value in read.items() if name.startswith("MATCHBOX_")}
    if not known.get("MATCHBOX_DATABASE_URL") and (kept := _kept_database(folder)):
        raise BadSetting(
            f"the platform in {folder} has its database at {kept}: set MATCHBOX_DATABASE_URL, or "
            f"remove {folder / _DATABASE} to go on with a database in the folder"
        )
    return {
        **_secrets(folder),
        "MATCHBOX_SERVER_URL": f"http://127.0.0.1:{port}",
        **{name: value for name, value in known.items() if value},
        "MATCHBOX_DATA": str(folder),
    }


def settings_of(folder: Path) -> Settings:
    """The settings of a platform that was started in this folder. Raises BadSetting or Conflict."""
    _refuse_restoring(folder)
    if not (folder / _FILE).exists():
        raise BadSetting(
            f"{folder} is not a data folder: name the one of your platform with --data or "
            "MATCHBOX_DATA"
        )
    given = {name: value for name, value in os.environ.items() if value}
    last = {**_last_address(folder), **_last_retention(folder)}
    return read_settings(environment(folder.resolve(), 8000, {**last, **given}))


def keep_address(folder: Path, url: str) -> None:
    """Stores the address under which the platform was started, for the links of other commands.

    On a full disk, the one before stays.
    """
    with suppress(OSError):
        whole_file.replace(folder / _ADDRESS, url)


def keep_retention(folder: Path, settings: Settings) -> None:
    """Stores for how many days the platform keeps its data, for a command in another shell.

    On a full disk, those before stay.
    """
    days = {
        PREFIX + one.name.upper(): str(getattr(settings, one.name))
        for one in fields(Settings)
        if "keep_" in one.name
    }
    with suppress(OSError):
        whole_file.replace(folder / _RETENTION, json.dumps(days))


def keep_database(folder: Path, url: str) -> None:
    """Stores the address of the database that a platform in this folder uses, without its password.

    If the address is empty, the database is in the folder. On a full disk, the one before stays.
    """
    from sqlalchemy import make_url

    with suppress(OSError):
        if url:
            shown = make_url(url).set(query={}).render_as_string(hide_password=True)
            whole_file.replace(folder / _DATABASE, shown)
        else:
            (folder / _DATABASE).unlink(missing_ok=True)


def _kept_database(folder: Path) -> str:
    """The address that `keep_database` stored; empty if there is none."""
    try:
        return (folder / _DATABASE).read_text()
    except OSError:
        return ""


def _last_address(folder: Path) -> dict[str, str]:
    """The setting with the address under which the platform was last started, if it was.

    An address that an earlier release took, and that is refused now, counts as none.
    """
    try:
        found = {"MATCHBOX_SERVER_URL": (folder / _ADDRESS).read_text()}
        read_settings(found)
    except (OSError, UnicodeDecodeError, BadSetting):
        return {}
    return found


def _last_retention(folder: Path) -> dict[str, str]:
    """The settings that `keep_retention` stored, if it did. Raises BadSetting."""
    path = folder / _RETENTION
    try:
        kept = json.loads(path.read_text())
        read_settings(kept)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError, BadSetting) as error:
        raise BadSetting(f"{path} is damaged: `matchbox up` writes it anew") from error
    return dict(kept)


def settings_for(folder: Path) -> Settings:
    """The settings of the platform in this folder.

    If there is none and the environment names a database, they are those of the environment, as in
    containers. Raises BadSetting.
    """
    given = any(map(os.environ.get, ("MATCHBOX_DATABASE_URL", "MATCHBOX_DATABASE_URL_FILE")))
    if given and not (folder / _FILE).exists():
        return read_settings(os.environ, open)
    return settings_of(folder)


def _secrets(folder: Path) -> dict[str, str]:
    path = folder / _FILE
    damaged = BadSetting(f"{path} is damaged: restore it, or remove it to log everybody out")
    try:
        kept = json.loads(path.read_text())
    except FileNotFoundError:
        kept = {}
    except ValueError as error:
        raise damaged from error
    if not isinstance(kept, dict) or not all(isinstance(one, str) for one in kept.values()):
        raise damaged
    missing = [name for name in SECRETS if name not in kept]
    if missing:
        kept |= {name: secrets.token_urlsafe(48) for name in missing}
        keep_secrets(folder, kept)
    return kept


def rotate(folder: Path, names: Iterable[str]) -> None:
    """Replaces these secrets by new ones, all at once. Raises BadSetting or Unavailable."""
    fresh = {name: secrets.token_urlsafe(48) for name in names}
    keep_secrets(folder, {**_secrets(folder), **fresh})


def keep_secrets(folder: Path, kept: Mapping[str, str]) -> None:
    """Stores the secrets, for their owner alone. Raises Unavailable if that is impossible."""
    path = folder / _FILE
    try:
        whole_file.replace(path, json.dumps(dict(kept)))
    except OSError as error:
        raise Unavailable(f"{path} could not be written: {error.strerror}") from error


def drop_secrets(folder: Path) -> None:
    """Removes the secrets, if there are any."""
    (folder / _FILE).unlink(missing_ok=True)
