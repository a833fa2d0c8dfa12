"""Finds the line at which a bot failed, and what it printed and reported at each step. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Final, NamedTuple

from dashboard.wording import plural
from matchbox.bundle import MAIN

if TYPE_CHECKING:
    from matchbox.answers.matches import Bout, LogLine

_KINDS: Final = {"print": "prints", "traceback": "tracebacks", "report": "reports"}
AROUND: Final = 3
"""The number of lines to show before and after the wrong one."""
_PLACE = re.compile(r"(?:([\w./-]+\.py), )?\bline (\d{1,6})\b")
_FRAME = re.compile(r'File "((?!matchbox/)[^"/<\n][^"\n]*\.py)", line (\d{1,6})')
"""A traceback's frame in the bot's own file; frames of the platform have an absolute
path, or one that begins with `matchbox/`."""


class Location(NamedTuple):
    """Where a line is: in which of a bot's files, and its number from 1."""

    file: str
    line: int


class SourceLine(NamedTuple):
    """A line of a bot's file, as an excerpt shows it."""

    number: int
    text: str
    wrong: bool


class StepOutput(NamedTuple):
    """The output of a bot at the decision that led to a step; `left_out` bytes of it were cut."""

    step: int
    bot: str
    traceback: bool
    text: str
    left_out: int


class Missing(NamedTuple):
    """A sentence about output that is not kept of a bout from a step on: printed text, or else
    reports."""

    step: int
    printed: bool
    text: str


def reported(bout: Bout, movers: Iterable[int | None], logs: Iterable[LogLine]) -> list[str]:
    """Returns, for each step of the bout, the report of the viewer's own player as JSON, or "".

    `movers` are the seats that made the steps; None or below 0 for nobody. The reports are
    matched to steps by counting each player's decisions in the bout.
    """
    texts = {
        (log.entrant, one.decision): json.dumps(one.report)
        for log in logs
        for one in log.diagnostics
        if (one.deal, one.rotation) == (bout.deal, bout.rotation)
    }
    made: Counter[int] = Counter()
    found = []
    for seat in movers:
        if seat is None or seat < 0:
            found.append("")
            continue
        found.append(texts.get((bout.seats[seat], made[seat]), ""))
        made[seat] += 1
    return found


def printed(bout: Bout, movers: Sequence[int | None], logs: Iterable[LogLine]) -> list[StepOutput]:
    """Returns the printed output of the viewer's bots in the bout, in the order of its steps.

    `movers` are as for `reported`. Output that belongs to no step, such as the stack of a decision
    that did not end, stands beside the player's last step.
    """
    found = []
    for log in logs:
        places = _places(bout, movers, log.entrant)
        for one in log.printed:
            if (one.deal, one.rotation) == (bout.deal, bout.rotation):
                place = _place(places, one.decision)
                found.append(StepOutput(place, log.bot, one.traceback, one.text, one.left_out))
    return sorted(found, key=lambda said: said.step)


def missing(bout: Bout, movers: Sequence[int | None], logs: Iterable[LogLine]) -> list[Missing]:
    """Returns the steps of the bout from which on the output of a viewer's bot is not kept."""
    here = (bout.deal, bout.rotation)
    found = []
    for log in logs:
        places = _places(bout, movers, log.entrant)
        for one in log.left_out:
            what, printed = f"{_KINDS[one.kind]} of {log.bot}", one.kind != "report"
            count = plural(one.left_out, "byte")
            if (one.deal, one.rotation) == here:
                step = _place(places, one.decision)
                later = " of this bout and later ones" if one.rest else ""
                text = f"From step {step} on {what} are not kept: {count}{later}."
                found.append(Missing(step, printed, text))
            elif one.rest and (one.deal, one.rotation) < here:
                since = f"deal {one.deal + 1}, rotation {one.rotation + 1}"
                text = f"From {since} on {what} are not kept: {count}."
                found.append(Missing(0, printed, text))
    return sorted(found)


def _places(bout: Bout, movers: Sequence[int | None], entrant: int) -> list[int]:
    """The steps that the entrant has made, or the last step if it has made none."""
    own = [
        at
        for at, seat in enumerate(movers)
        if seat is not None and seat >= 0 and bout.seats[seat] == entrant
    ]
    return own or [len(movers) - 1]


def _place(places: Sequence[int], decision: int | None) -> int:
    """The step of that decision; None stands for the last one."""
    last = len(places) - 1
    return places[last if decision is None else min(decision, last)]


def wrong_place(reasons: Iterable[str], log: str = "") -> Location | None:
    """Returns the place named by a reason, else by the log's last traceback, else None."""
    named = _PLACE.search("\n".join(reasons))
    frames = _FRAME.findall(log)
    if named:
        return Location(named.group(1) or MAIN, int(named.group(2)))
    return Location(frames[-1][0], int(frames[-1][1])) if frames else None


def excerpt(text: str | None, number: int | None) -> list[SourceLine]:
    """Returns the line, as Python counts them, with its neighbours; empty if there is none."""
    lines = StringIO(text or "", newline=None).getvalue().split("\n")
    if not text or number is None or not 1 <= number <= len(lines):
        return []
    first, last = max(1, number - AROUND), min(len(lines), number + AROUND)
    return [SourceLine(n, lines[n - 1], n == number) for n in range(first, last + 1)]
