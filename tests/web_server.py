"""Web servers: gunicorn with a database of the test's own, and an application in the test's
process.

Knows the command line of `matchbox up`; a test may add other words to it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Final

import httpx
from werkzeug.serving import WSGIRequestHandler, make_server

from cli import web
from server.db.migrations import migrate
from tests.books import SECRET
from tests.services import DEADLINE_S, free_port, running

ARENA_TOKEN: Final = "a" * 32
SETTINGS: Final = {"MATCHBOX_SECRET_KEY": SECRET, "MATCHBOX_ARENA_TOKEN": ARENA_TOKEN}


class Quiet(WSGIRequestHandler):
    """Logs nothing."""

    def log(self, *args: Any) -> None:
        pass


@contextmanager
def answering(app: Callable[..., Any]) -> Iterator[str]:
    """The address of the application, which runs in this process until the block ends."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    # By default the server checks twice a second whether to stop.
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving(
    folder: Path, words: Sequence[str] = web.PUBLIC, **settings: str
) -> Iterator[httpx.Client]:
    """A client of the application under gunicorn, until the block ends."""
    database = f"sqlite:///{folder / 'matchbox.db'}"
    if not (folder / "matchbox.db").exists():
        migrate(database)
    port = free_port()
    metrics = folder / f"metrics-{port}"
    environment = {**SETTINGS, "MATCHBOX_DATABASE_URL": database, **settings}
    environment |= {"PROMETHEUS_MULTIPROC_DIR": str(metrics)}
    command = ["env", *(f"{name}={value}" for name, value in environment.items())]
    command += [sys.executable, "-m", "worker.start", "gunicorn", "-c", "python:cli.web"]
    command += ["-b", f"127.0.0.1:{port}", *words]
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return httpx.get(f"{url}/healthz", trust_env=False, timeout=DEADLINE_S).is_success
        except httpx.TransportError:
            return False

    # A kept connection may be closed by the server just as it is used again.
    fresh = httpx.Limits(max_keepalive_connections=0)
    with (
        running(command, answers, folder / f"web-{port}.log"),
        httpx.Client(base_url=url, trust_env=False, timeout=DEADLINE_S, limits=fresh) as client,
    ):
        yield client
