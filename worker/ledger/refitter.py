"""Keeps the standings of leagues and seasons up to date, beside the ledger's tasks.

It has a thread of its own: after a restart, the results of every league are counted anew. That may
take minutes, and new results have to be recorded meanwhile. Computes nothing itself: see
refit_process.py.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable

log = structlog.get_logger(__name__)

CLOSE_S: Final = 5.0
"""Seconds that a refit under way may take when the ledger ends. A refit stores nothing before its
end, so the next ledger repeats it."""


class Refitter:
    """A thread that calls `refresh`, which updates old standings, whenever it is woken."""

    def __init__(self, refresh: Callable[[], None]) -> None:
        self._refresh = refresh
        self._woken = Event()
        self._over = False
        self._thread = Thread(target=self._run, name="refitter", daemon=True)

    def start(self) -> None:
        """Starts the thread, which waits to be woken."""
        self._thread.start()

    def wake(self) -> None:
        """Wakes the thread: it checks the standings once the present refit, if any, is done."""
        self._woken.set()

    def close(self) -> None:
        """Ends the thread. Abandons a refit that takes longer than `CLOSE_S` seconds."""
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
                self._refresh()
            except Exception:  # without the thread all standings would stand still
                if not self._over:
                    log.exception("refitter.failed")
