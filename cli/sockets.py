"""Gives the folder of the sockets in docker-compose.yml to the arenas: `python -m cli.sockets`.

MATCHBOX_SOCKETS names the folder. This runs as root, and the folder may be any of the host, so it
closes none that others use.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Final

from matchbox.errors import BadSetting
from sandbox import orphans
from sandbox.policy import NOBODY
from worker.arena.cpu_affinity import FOLDER as CORES

_OF_A_NEW_DISK: Final = "lost+found"


def give(folder: Path, account: int) -> None:
    """Makes the folder, if need be, and closes it to every account but this one.

    Raises BadSetting if others use it, or if it cannot be made.
    """
    refused = f"MATCHBOX_SOCKETS cannot be {folder}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if status.st_uid == account and not status.st_mode & 0o077:
            return
        if status.st_mode & stat.S_ISVTX:
            raise BadSetting(f"{refused}, where every account may keep files: name a folder in it")
        if others := sorted(place.name for place in folder.iterdir() if not _is_ours(place.name)):
            raise BadSetting(
                f"{refused}, which holds something else, such as {others[0]}, and would be closed "
                "to others: name a folder that is new or empty"
            )
        os.chown(folder, account, account)
        folder.chmod(0o700)
    except OSError as error:
        raise BadSetting(f"{refused}: {error.strerror}") from error


def _is_ours(name: str) -> bool:
    return name in (CORES, _OF_A_NEW_DISK) or orphans.is_folder(name)


def main() -> None:
    """Gives it to the account of the arenas, or ends with a sentence."""
    try:
        give(Path(os.environ["MATCHBOX_SOCKETS"]), NOBODY)
    except BadSetting as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
