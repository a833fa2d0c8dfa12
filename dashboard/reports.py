"""Finds the wrong line of a bot, and the reports of players about their moves. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from matchbox.bundle import MAIN

if TYPE_CHECKING:
    from matchbox.answers.matches import Bout, LogLine

AROUND: Final = 3
"""The number of lines to show before and after the wrong one."""
_PLACE = re.compile(r"(?:([\w./-]+\.py), )?\bline (\d{1,6})\b")
_RETURNED = re.compile(r"\b([A-Za-z_]\w{0,63})\(\) returned ")
_FRAME = re.compile(r'File "((?!matchbox/)[^"/<\n][^"\n]*\.py)", line (\d{1,6})')
"""A traceback's frame in the bot's own file; frames of the platform have an absolute
path, or one from `matchbox` on."""


class Place(NamedTuple):
    """A line of one of a bot's files."""

    file: str
    line: int


class SourceLine(NamedTuple):
    """A line of a bot's file."""

    number: int
    text: str
    wrong: bool


class Said(NamedTuple):
    """What a bot printed at the decision that led to a step; `left_out` bytes of it were cut."""

    step: int
    bot: str
    traceback: bool
    text: str
    left_out: int


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


def printed(bout: Bout, steps: Sequence[dict[str, Any]], logs: Iterable[LogLine]) -> list[Said]:
    """Returns what the viewer's bots printed in the bout, in the order of the steps it belongs to.

    The steps are counted like those of `reported`. What belongs to no step of its player, such as
    the place where a decision without an end was, stands beside the player's last step.
    """
    own: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        if step["seat"] is not None and step["seat"] >= 0:
            own.setdefault(bout.seats[step["seat"]], []).append(at)
    found = []
    for log in logs:
        places = own.get(log.entrant) or [len(steps) - 1]
        for one in log.printed:
            if (one.deal, one.rotation) == (bout.deal, bout.rotation):
                nth = len(places) - 1 if one.decision is None else one.decision
                place = places[min(nth, len(places) - 1)]
                found.append(Said(place, log.bot, one.traceback, one.text, one.left_out))
    return sorted(found, key=lambda said: said.step)


def wrong_place(reasons: Iterable[str], log: str = "") -> Place | None:
    """Returns the place named by a reason, else by the log's last traceback, else None."""
    named = _PLACE.search("\n".join(reasons))
    frames = _FRAME.findall(log)
    if named:
        return Place(named.group(1) or MAIN, int(named.group(2)))
    return Place(frames[-1][0], int(frames[-1][1])) if frames else None


def wrong_method(reasons: Iterable[str], files: Mapping[str, str]) -> Place | None:
    """Returns where the method begins whose answer a reason refuses, else None.

    An answer is refused after the method has returned it, so no line of it is running then.
    """
    named = _RETURNED.search("\n".join(reasons))
    if named is None:
        return None
    method = re.compile(rf"^[ \t]*def {named[1]}\(", re.MULTILINE)
    for path, text in files.items():
        found = list(method.finditer(text))
        if found:
            return Place(path, text.count("\n", 0, found[-1].start()) + 1)
    return None


def excerpt(text: str | None, number: int | None) -> list[SourceLine]:
    """Returns the line with its neighbours; empty if there is no such line."""
    lines = (text or "").split("\n")
    if not text or number is None or not 1 <= number <= len(lines):
        return []
    first, last = max(1, number - AROUND), min(len(lines), number + AROUND)
    return [SourceLine(n, lines[n - 1], n == number) for n in range(first, last + 1)]
