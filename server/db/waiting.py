"""Waits for a server that is still starting."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from matchbox.errors import Unavailable

PAUSE_S: Final = 0.5


def wait_while(trouble: Callable[[], str], most_s: float, report: Callable[[str], None]) -> None:
    """Calls `trouble` for up to `most_s` seconds, until it returns no text. Passes its first text
    to `report`.

    Raises Unavailable with its last text if the trouble is not over by then.
    """
    deadline, reported = time.monotonic() + most_s, False
    while found := trouble():
        if most_s and not reported:
            report(found)
            reported = True
        if time.monotonic() >= deadline:
            waited = f" (waited for {most_s:.0f} s)" if most_s else ""
            raise Unavailable(found + waited)
        time.sleep(min(PAUSE_S, max(0.0, deadline - time.monotonic())))
