"""Finds the wrong line of a bot, and the reports of players about their moves. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from matchbox.answers.matches import Bout, LogLine

AROUND: Final = 3
"""The number of lines to show before and after the wrong one."""
_LINE = re.compile(r"\bline (\d{1,6})\b")
_FRAME = re.compile(r'File "[^"/\n][^"\n]*\.py", line (\d{1,6})')
"""A traceback's frame in the bot's own file; frames of the platform have an absolute path."""


class SourceLine(NamedTuple):
    """A line of a bot's file."""

    number: int
    text: str
    wrong: bool


def reported(bout: Bout, steps: Iterable[dict[str, Any]], logs: Iterable[LogLine]) -> list[str]:
    """Returns, for each step of the bout, the report of the viewer's own player as JSON, or "".

    The reports are matched to steps by counting each player's decisions in the bout.
    """
    texts = {
        (log.entrant, one.decision): json.dumps(one.report)
        for log in logs
        for one in log.diagnostics
        if (one.deal, one.rotation) == (bout.deal, bout.rotation)
    }
    made: Counter[int] = Counter()
    found = []
    for step in steps:
        seat = step["seat"]
        who = bout.seats[seat] if seat is not None and seat >= 0 else None
        found.append(texts.get((who, made[seat]), "") if who is not None else "")
        if who is not None:
            made[seat] += 1
    return found


def wrong_line(reasons: Iterable[str], log: str = "") -> int | None:
    """Returns the line number in a reason, else the last one in the log's traceback, else None."""
    named = _LINE.search("\n".join(reasons))
    frames = _FRAME.findall(log)
    if named:
        return int(named.group(1))
    return int(frames[-1]) if frames else None


def excerpt(text: str | None, number: int | None) -> list[SourceLine]:
    """Returns the line with its neighbours; empty if there is no such line."""
    lines = (text or "").split("\n")
    if not text or number is None or not 1 <= number <= len(lines):
        return []
    first, last = max(1, number - AROUND), min(len(lines), number + AROUND)
    return [SourceLine(n, lines[n - 1], n == number) for n in range(first, last + 1)]
