"""The configuration of gunicorn for pages and arenas: `gunicorn -c python:cli.web`, with `INTERNAL`
for arenas.

The supervisor of `matchbox up` owns the socket and passes it on as a descriptor, so that no request
is refused while the web server restarts.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from matchbox.settings import read_settings
from worker import logs, start
from worker.child import tie_to

worker_class = "server.gunicorn_worker.BufferingWorker"
workers = 2
threads = 64
"""The number of threads. A page with live updates holds one."""
worker_connections = 512
"""Connections per process. A request takes no thread until it has arrived."""
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
"""The command line that serves arenas, in a process of their own."""


def on_starting(server: Any) -> None:
    """Resets the counters, sets up the log, and imports the server once, before the first fork."""
    folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for counted in folder.glob("*.db"):
        counted.unlink()
    logs.configure(read_settings(os.environ, open))
    import_module("server.app")
    import_module("worker.ledger.watch")
    import_module("worker.ledger.courier")
    start.ready()


def post_fork(server: Any, worker: Any) -> None:
    """Ties every worker to its master: a fork loses this tie."""
    tie_to(server.pid)


def post_worker_init(worker: Any) -> None:
    """Starts the worker's watch, which gives its sign of life and takes over while no ledger gives
    one."""
    from server.services import signs
    from worker.ledger.courier import Courier
    from worker.ledger.watch import Watch

    context = worker.wsgi.extensions["matchbox"]
    is_public = getattr(worker, "is_public", True)  # gunicorn's own workers lack it
    Watch(context, Courier(context), signs.WEB if is_public else signs.INTERNAL).start()


def when_ready(server: Any) -> None:
    """Makes the files written from here on unreadable for other users."""
    os.umask(0o077)


def child_exit(server: Any, worker: Any) -> None:
    """Deletes the gauges of a worker that has ended."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
