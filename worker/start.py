"""Runs the module of a program: `python -m worker.start celery -A worker.ledger.main worker ...`.

The garbage collector takes a quarter of the time that a program of the platform needs to import
what it is made of, and finds next to nothing. So it is off until the program says that it is ready.
"""

from __future__ import annotations

import gc
import runpy
import sys


def ready() -> None:
    """Switches the garbage collector on, for what is made from now on.

    It never visits what is loaded by now: each visit would take 0.1 s, as long as 25 matches.
    Processes that are forked later go on sharing that memory.
    """
    gc.freeze()
    gc.enable()


def main() -> None:
    """Runs the program in this process."""
    gc.disable()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
