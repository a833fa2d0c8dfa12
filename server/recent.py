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

    One thread makes it; the others wait for that.
    """

    def __init__(self) -> None:
        self._kept: tuple[float, Made] | None = None
        self._lock = Lock()

    def get(self, make: Callable[[], Made]) -> Made:
        """Returns the value, which `make` makes if it has to. Raises what `make` raises."""
        with self._lock:
            if self._kept is None or time.monotonic() - self._kept[0] >= KEPT_S:
                self._kept = None
                self._kept = time.monotonic(), make()
            return self._kept[1]
