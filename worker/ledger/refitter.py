"""Computes the standings of leagues and seasons beside the ledger's tasks.

It has a thread of its own: after a restart, the results of every league are counted anew, which
takes minutes where much has been played, and results have to be recorded meanwhile. Computes
nothing itself.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import structlog

from server.services import tick as ticking

if TYPE_CHECKING:
    from server.context import Context

log = structlog.get_logger(__name__)

CLOSE_S: Final = 5.0
"""How long a refit that is under way may go on when the ledger ends. It stores nothing before its
end, so the next ledger does it again."""


class Refitter:
    """A thread that brings the standings up to date whenever it is woken."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._woken = Event()
        self._over = False
        self._thread = Thread(target=self._run, name="refitter", daemon=True)

    def start(self) -> None:
        """Starts the thread, which waits to be woken."""
        self._thread.start()

    def wake(self) -> None:
        """Has the standings looked at, after the refit that may be under way."""
        self._woken.set()

    def close(self) -> None:
        """Ends the thread; leaves a long refit after `CLOSE_S` seconds."""
        self._over = True
        self._woken.set()
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        while True:
            self._woken.wait()
            self._woken.clear()
            if self._over:
                return
            try:
                ticking.refresh_standings(self._context)
            except Exception:  # without the thread all standings would stand still
                log.exception("refitter.failed")
