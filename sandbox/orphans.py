"""Names the owner of a container, and removes the containers and folders of processes of ours that
were killed.

Knows processes, labels and folders; starts nothing.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from docker import DockerClient

OWNER: Final = "matchbox.seat.owner"
"""The label of each of our containers: the process that it belongs to."""

_END: Final = "+"
_FOLDER: Final = re.compile(r"\d+\.\d+\.\d+\+.+")


def owner() -> str:
    """A name for this process. No other process of this machine ever has the same."""
    return f"{_namespace()}.{os.getpid()}.{_start_time(os.getpid())}"


def folder_prefix() -> str:
    """The prefix of the names of this process's folders."""
    return owner() + _END


def is_folder(name: str) -> bool:
    """Whether a folder of a process, of this or another, may have this name."""
    return _FOLDER.fullmatch(name) is not None


def is_alive(owner: str) -> bool:
    """Whether that process runs. A process in another pid namespace counts as running."""
    namespace, _, rest = owner.partition(".")
    pid, _, begun = rest.partition(".")
    if namespace != _namespace():
        return True
    try:
        return _start_time(int(pid)) == begun
    except (OSError, ValueError):
        return False


def sweep(client: DockerClient, directory: Path) -> None:
    """Removes the containers and the folders of processes that have ended."""
    from docker.errors import APIError

    mine = {"label": OWNER}
    for container in client.containers.list(all=True, filters=mine, ignore_removed=True):
        if not is_alive(container.labels[OWNER]):
            with suppress(APIError):  # Another worker removed it first.
                container.remove(force=True)
    for folder in directory.iterdir():
        if not is_alive(folder.name.partition(_END)[0]):
            shutil.rmtree(folder, ignore_errors=True)


def _namespace() -> str:
    return str(os.stat("/proc/self/ns/pid").st_ino)


def _start_time(pid: int) -> str:
    """When the process began, in clock ticks since boot. Raises OSError for one that has ended."""
    state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    if state in "ZX":
        raise ProcessLookupError(pid)
    return rest[18]
