"""Marks a bot's output with its bout and decision, inside the box.

A mark stands in the output itself, before its text. It is written only with text, so a bot that
prints nothing loses no time. Knows marks and streams; `output` reads them outside.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

from matchbox.match.seeded_random import HERE

if TYPE_CHECKING:
    from collections.abc import Iterable

BEGIN: Final = "\x1e"
END: Final = "\x1f"
PRINT: Final = "p"
TRACEBACK: Final = "t"
REPORT: Final = "r"


class Marked:
    """A stream for a bot. All of them write to one other stream, so their order is kept."""

    last: str = ""
    """The mark before the newest text."""
    installed: Marked | None = None
    """The stream for errors, also if the bot has put another one in its place."""

    def __init__(self, own: TextIO, into: TextIO, *, unbuffered: bool) -> None:
        """`own` answers all other attributes of a stream. `unbuffered` flushes after every
        write."""
        self._own = own
        self._into = into
        self._unbuffered = unbuffered

    def write(self, text: str) -> int:
        """Writes the text, marked; returns its length."""
        return self.put(PRINT, text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes one line after another."""
        for line in lines:
            self.write(line)

    def put(self, kind: str, text: str) -> int:
        """Writes text of this kind; a traceback and a report each have a mark of their own."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        place = getattr(HERE.generator, "place_in_bout", None)
        mark = f"{BEGIN}{kind}{place()}{END}" if place is not None else f"{BEGIN}{kind}{END}"
        safe = text.replace(BEGIN, "\\x1e")
        if self._unbuffered:  # Like sys.stderr, it accepts every character.
            safe = safe.encode("utf-8", "backslashreplace").decode()
        self._into.write(safe if mark == Marked.last and kind == PRINT else mark + safe)
        Marked.last = mark
        if self._unbuffered:
            self._into.flush()
        return len(text)

    def flush(self) -> None:
        """Sends the written text."""
        self._into.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


def install() -> None:
    """Makes `sys.stdout` and `sys.stderr` mark all that is written to them from now on."""
    Marked.last = ""
    out = sys.stdout
    sys.stdout = Marked(out, out, unbuffered=False)
    sys.stderr = Marked.installed = Marked(sys.stderr, out, unbuffered=True)


def put(kind: str, text: str) -> None:
    """Writes a traceback or a report to the bot's own output; does nothing before `install`."""
    if Marked.installed is not None:
        Marked.installed.put(kind, text)
    elif kind != REPORT:
        sys.stderr.write(text)
        sys.stderr.flush()
