"""Runs the module of a program: `python -m worker.start celery -A worker.ledger.main worker ...`.

While a program of the platform imports its modules, the garbage collector takes a quarter of the
time and finds next to nothing. So it is off until the program calls `ready`.
"""

from __future__ import annotations

import gc
import os
import runpy
import sys
from typing import Final

from matchbox.errors import BadSetting
from matchbox.settings import Settings, read_settings

THRESHOLDS: Final = (10_000, 20, 20)
"""The collector's thresholds: objects made before the first collection, and collections before each
larger one."""


def settings_here() -> Settings:
    """The settings in this environment. Exits with a sentence if one is wrong."""
    try:
        return read_settings(os.environ, open)
    except BadSetting as error:
        sys.exit(f"Matchbox cannot start: {error}")


def ready() -> None:
    """Switches the garbage collector on, for objects that are made from now on.

    It never visits the objects that are loaded by now: each visit would take 0.1 s, as long as 25
    matches. Processes that are forked later continue to share that memory. With Python's own
    thresholds, the collector would visit all cached objects several times a second, which would
    take a tenth of the time of a page.
    """
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    gc.enable()


def main() -> None:
    """Runs the program in this process.

    Celery and gunicorn put the current folder before Python's own modules unless it is known
    already. An author's random.py in it would be imported.
    """
    gc.disable()
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
