"""How much memory a piece of code takes at most."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def memory_traced() -> Iterator[Callable[[], int]]:
    """Yields a function that returns the most bytes that Python objects took in this block so far.

    Tracing slows everything down, so it ends with the block, also when the test fails.
    """
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
