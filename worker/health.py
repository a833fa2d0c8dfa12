"""Whether a worker with this environment lives and can reach its queue: `python -m worker.health`.

A worker that is frozen stops touching the file that SIGN_OF_LIFE names. This module checks that
file and the broker's address only; leases watch over a worker's tasks. It runs every 30 s beside
each worker, so it imports no more than it needs.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Final

import redis

from matchbox.errors import BadSetting
from matchbox.settings import read_settings

PATIENCE_S = 10
VARIABLE: Final = "SIGN_OF_LIFE"
EVERY_S: Final = 10.0
"""How often a worker touches its file."""
OLD_S: Final = 60.0
"""A worker counts as frozen if its file is older than this."""


def show_life() -> None:
    """Touches the file of this process from now on, in a thread, if the environment names one."""
    if os.environ.get(VARIABLE):
        path = Path(os.environ[VARIABLE])
        path.touch()
        Thread(target=_keep_touching, args=(path,), name="life", daemon=True).start()


def _keep_touching(path: Path) -> None:
    while True:
        time.sleep(EVERY_S)
        with suppress(OSError):  # Such as on a full disk: it may have room again the next time.
            path.touch()


def main() -> None:
    """Prints a sentence and exits with 1 if the worker is frozen or the broker does not answer."""
    if os.environ.get(VARIABLE):
        _require_life(Path(os.environ[VARIABLE]))
    try:
        url = read_settings(os.environ, open).broker_url.replace("redis+socket://", "unix://")
    except BadSetting as error:
        sys.exit(str(error))
    if not url:
        sys.exit("set MATCHBOX_BROKER_URL to the broker's address")
    patience = {"socket_connect_timeout": PATIENCE_S, "socket_timeout": PATIENCE_S}
    try:
        with redis.Redis.from_url(url, **patience) as broker:
            broker.ping()
    except redis.RedisError as error:
        sys.exit(f"the broker cannot be reached: {error}")


def _require_life(path: Path) -> None:
    try:
        age = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        sys.exit("this worker has not started yet")
    if age > OLD_S:
        sys.exit(f"this worker is frozen: it has given no sign of life for {age:.0f} s")


if __name__ == "__main__":
    main()
