"""The texts that a seat sends about its bot: whose fault an exception is, and a player's reports.

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
"""A fault's detail is cut to this many characters; stderr holds the whole traceback."""
_REPORT: Final = 1024
"""A player's report on one move is cut to this many characters."""
_OURS: Final = re.compile(r"\bmatchbox\.games\.(\w+\.)+(?=[A-Z])")
"""The prefix of our class names in the compiled build; it is removed for authors."""


def blame(error: BaseException) -> tuple[str, str]:
    """Returns the kind of fault and one sentence; writes the traceback to the bot's own stderr."""
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
    """The player's report as ASCII JSON, or its repr if JSON cannot hold it; cut to length."""
    try:
        text = json.dumps(report, separators=(",", ":"), default=repr, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(repr(report))
    return text[:_REPORT]
