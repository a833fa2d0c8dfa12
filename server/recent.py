"""Keeps what is expensive to compute for a moment, so that many requests cost no more than one."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Made = TypeVar("Made")

KEPT_S: Final = 2.0
"""The time, in seconds, for which a value is kept."""


class Recent(Generic[Made]):
    """A value that is made again if it is older than KEPT_S when it is asked for.

    One thread makes it; the others wait for that, and get its error if it fails.
    """

    def __init__(self) -> None:
        self._made_at: float | None = None
        self._again: Callable[[], Made]
        self._lock = Lock()

    def get(self, make: Callable[[], Made]) -> Made:
        """Returns the value, which `make` makes if it has to. Raises what `make` raises."""
        with self._lock:
            if self._made_at is None or time.monotonic() - self._made_at >= KEPT_S:
                self._again = _outcome(make)
                self._made_at = time.monotonic()
            return self._again()


def _outcome(make: Callable[[], Made]) -> Callable[[], Made]:
    """A function that returns what `make` returned, or raises what it raised."""
    try:
        made = make()
    except Exception as error:  # noqa: BLE001 - it is raised again, to all who wait
        failed = error

        def fail() -> Made:
            raise failed

        return fail
    return lambda: made
