"""Runs the module of a program: `python -m worker.start celery -A worker.ledger.main worker ...`.

The garbage collector takes a quarter of the time that a program of the platform needs to import
what it is made of, and finds next to nothing. So it is off until the program says that it is ready.
"""

from __future__ import annotations

import gc
import runpy
import sys
from typing import Final

THRESHOLDS: Final = (10_000, 20, 20)
"""How many objects are made, and how many collections pass, before the next larger collection."""


def ready() -> None:
    """Switches the garbage collector on, for what is made from now on.

    It never visits what is loaded by now: each visit would take 0.1 s, as long as 25 matches.
    Processes that are forked later go on sharing that memory. With Python's own thresholds it
    would look at all that is remembered several times a second, which takes a tenth of a page.
    """
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    gc.enable()


def main() -> None:
    """Runs the program in this process."""
    gc.disable()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
