"""The texts that a seat sends about its bot: whose fault an exception is, an answer that is not a
move, and a player's reports.

Knows exceptions and lengths; sends nothing.
"""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from matchbox.errors import IllegalMove
from matchbox.match import printed

_DETAIL_LENGTH: Final = 200
"""A fault's detail is cut to this many characters; its output holds the traceback."""
_REPORT_LENGTH: Final = 1024
"""A player's report on one move is cut to this many characters."""
_TRACEBACK_LENGTH: Final = 1800
"""A traceback is cut to about this many characters."""
_LIBRARY: Final = ("/", "<")
"""The beginnings of files that are not the bot's own, as frames name them."""
_FRAME: Final = re.compile(r"^<frozen |(?:^|/)(?:matchbox|sandbox)/.*\.pyx?$")
"""The files of the platform, as frames name them."""
_OURS: Final = re.compile(r"\bmatchbox\.games\.(\w+\.)+(?=[A-Z])")
"""The prefix of our class names in the compiled build; it is removed for authors."""


def blame(error: BaseException) -> tuple[str, str]:
    """Returns the kind of fault and one sentence; writes the traceback to the bot's own output."""
    try:
        printed.put(printed.TRACEBACK, traceback_text(error))
        where = _OURS.sub("", _sentence(error))
        if isinstance(error, IllegalMove):
            return "illegal", str(error)[:_DETAIL_LENGTH]
    except BaseException:
        where = "an exception that cannot be printed"
    return ("memory" if isinstance(error, MemoryError) else "crash"), where[:_DETAIL_LENGTH]


def _sentence(error: BaseException) -> str:
    """The error's type and its message in one line, without notes."""
    parts = traceback.format_exception_only(error)
    own = next(part for part in parts if part[:1] != " ")  # Before it: the line of a SyntaxError.
    return " ".join(filter(None, map(str.strip, own.splitlines())))


def traceback_text(error: BaseException) -> str:
    """The traceback without the platform's frames: those of the author's files and of libraries.

    A long one has only the author's. If that is still long, it is cut in its middle. Both are
    marked.
    """
    stack = traceback.TracebackException.from_exception(error)
    _leave_out(stack, lambda file: _FRAME.search(file) is not None, set())
    text = "".join(stack.format())
    if len(text) > _TRACEBACK_LENGTH:
        _leave_out(stack, lambda file: file.startswith(_LIBRARY), set())
        text = f"(the lines of libraries were left out)\n{''.join(stack.format())}"
    if len(text) > _TRACEBACK_LENGTH:
        more = len(text) - _TRACEBACK_LENGTH
        half = _TRACEBACK_LENGTH // 2
        text = f"{text[:half]}\n... {more} more characters were left out ...\n{text[-half:]}"
    return text


def _leave_out(
    stack: traceback.TracebackException | None, unwanted: Callable[[str], bool], seen: set[int]
) -> None:
    """Removes the frames of unwanted files from the error and from those before it."""
    if stack is None or id(stack) in seen:
        return
    seen.add(id(stack))
    stack.stack[:] = [frame for frame in stack.stack if not unwanted(frame.filename)]
    for other in (stack.__cause__, stack.__context__, *(stack.exceptions or ())):
        _leave_out(other, unwanted, seen)


def value_text(value: object) -> str:
    """A short description of a value that a player returned; runs none of the player's code."""
    if type(value) is int and value.bit_length() > 128:  # Python makes no text of very large ones.
        return "a huge int"
    if type(value) in (int, bool, type(None)):
        return f"{value!r:.40}"
    return f"something of type {type(value).__name__:.40}"


def report_text(report: object) -> str:
    """The player's report as ASCII JSON, or its repr if JSON cannot hold it, or else its type; cut
    to length. "" for None and whatever else is false.

    May run the report's own code, but raises nothing.
    """
    with suppress(Exception):  # The truth value of a numpy array is ambiguous.
        if not report:
            return ""
    with suppress(Exception):
        text = json.dumps(report, separators=(",", ":"), default=repr, allow_nan=False)
        return text[:_REPORT_LENGTH]
    with suppress(Exception):
        return json.dumps(repr(report))[:_REPORT_LENGTH]
    return json.dumps(value_text(report))
