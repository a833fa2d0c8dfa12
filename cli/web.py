"""How gunicorn serves pages and arenas: `gunicorn -c python:cli.web`, with `INTERNAL` for arenas.

The socket of `matchbox up` is the supervisor's, handed over as a descriptor, so that nobody is
refused while the web server is started again.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from worker.child import tie_to

worker_class = "server.gunicorn_worker.BufferingWorker"
workers = 2
threads = 64
"""A page that is watched live holds one."""
worker_connections = 512
"""Of one process: what has not arrived yet takes no thread."""
timeout = 60
graceful_timeout = 3
max_requests = 0
accesslog = None
errorlog = "-"
control_socket_disable = True

PUBLIC: Final = ("server.app:from_environment()",)
INTERNAL: Final = (
    "-k",
    "server.gunicorn_worker.InternalWorker",
    "-w",
    "1",
    "--threads",
    "16",
    "server.app:internal_from_environment()",
)
"""The words of the command line that serve arenas, in a process of their own."""


def on_starting(server: Any) -> None:
    """Counts from nothing, and imports what every worker needs once, before the first fork."""
    folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for counted in folder.glob("*.db"):
        counted.unlink()
    import_module("server.app")


def post_fork(server: Any, worker: Any) -> None:
    """Ties every worker to its master, which the kernel forgets at a fork."""
    tie_to(server.pid)


def when_ready(server: Any) -> None:
    """Keeps what is written from here on from other users."""
    os.umask(0o077)


def child_exit(server: Any, worker: Any) -> None:
    """Forgets what only a living worker can count."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
