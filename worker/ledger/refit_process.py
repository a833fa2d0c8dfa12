"""A process of the ledger's own that computes standings.

A standing of a thousand bots needs hundreds of MB and some seconds of a core. In a process of its
own they do not slow the ledger, whose memory then does not grow with the history. The process keeps
the counts between two refits. It ends with the ledger, for whatever reason the ledger ends.
"""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress
from multiprocessing import get_context
from typing import TYPE_CHECKING

from worker.child import tie_to

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from matchbox.settings import Settings


class RefitProcess:
    """The process; it is started when it is first needed, and again after its death."""

    def __init__(self, settings: Settings, url: str) -> None:
        self._settings, self._url = settings, url
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    def refresh(self) -> None:
        """Makes the process compute the standings that are out of date, and waits. Raises EOFError
        or OSError if the process has died; the next call starts another.

        Call it from a thread that lives as long as the ledger.
        """
        if self._pipe is None:
            self._pipe = self._started()
        try:
            self._pipe.send(True)
            self._pipe.recv()
        except (EOFError, OSError):
            self.close()
            raise

    def close(self) -> None:
        """Ends it at once. A refit stores nothing before its end, so another process repeats it."""
        self._pipe = None
        if self._process is not None:
            self._process.kill()
            self._process.join()

    def _started(self) -> Connection:
        spawn = get_context("spawn")
        own, other = spawn.Pipe()
        self._process = spawn.Process(
            target=_serve, args=(self._settings, self._url, os.getpid(), other), daemon=True
        )
        self._process.start()
        other.close()
        return own


def _serve(settings: Settings, url: str, parent: int, pipe: Connection) -> None:
    """Answers each message after a refit, until the ledger is gone."""
    tie_to(parent)
    gc.disable()
    # Imported here, with the garbage collector off: see worker/start.py.
    from server.context import Context
    from server.db.session import Database
    from server.outbox import OfflineSender
    from server.services import tick as ticking
    from worker import logs, start

    start.ready()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The ledger gets it too, and decides.
    logs.configure(settings)
    context = Context(settings, Database(url), OfflineSender())
    with suppress(EOFError, BrokenPipeError):  # The ledger has closed the pipe.
        while pipe.recv():
            ticking.refresh_standings(context)
            pipe.send(True)
