"""What a seat says of a bot in words: whose fault an exception is, and what a player reports.

Knows exceptions and lengths; sends nothing.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from typing import Final

from matchbox.errors import IllegalMove

_WORST: Final = 200
"""Characters of a fault's detail that are sent on; the whole traceback goes to stderr."""
_REPORT: Final = 1024
"""Characters of what a player reports on one move."""
_OURS: Final = re.compile(r"\bmatchbox\.games\.(\w+\.)+(?=[A-Z])")
"""How the compiled build begins the name of a class of ours, which an author knows without."""


def blame(error: BaseException) -> tuple[str, str]:
    """The kind of fault and one sentence; the traceback goes to the bot's own stderr."""
    try:
        traceback.print_exception(error, file=sys.stderr)
        sys.stderr.flush()
        where = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
        where = _OURS.sub("", where)
        if isinstance(error, IllegalMove):
            return "illegal", str(error)[:_WORST]
    except BaseException:
        where = "an exception that cannot be printed"
    return ("memory" if isinstance(error, MemoryError) else "crash"), where[:_WORST]


def report_text(report: object) -> str:
    """What a player reports as ASCII JSON; in Python's words where JSON has none; cut."""
    try:
        text = json.dumps(report, separators=(",", ":"), default=repr, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(repr(report))
    return text[:_REPORT]
