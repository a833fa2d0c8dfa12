"""Describes a bout in lines: a heading per turn, an indented bullet per event. Knows no game.

The game's `describe` describes the moves; this module describes faults and endings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from matchbox.game import CHANCE
from matchbox.match.replay import FAULT_LINES, steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matchbox.errors import FaultKind
    from matchbox.game import Game
    from matchbox.match.record import Bout, Record

_SEAT: Final = re.compile(r"\bseat (\d+)\b")


def distinct_names(names: Sequence[str]) -> list[str]:
    """The seats' names; names that occur twice get their seat's number.

    If one of these is another's name, all get their number, which tells up to ten seats apart.
    """
    numbered = [f"{name}{seat}" for seat, name in enumerate(names)]
    shown = [
        longer if names.count(name) > 1 else name
        for name, longer in zip(names, numbered, strict=True)
    ]
    return shown if len(set(shown)) == len(names) else numbered


def named(line: str, names: Sequence[str]) -> str:
    """The line with names in place of "seat 1"; a seat without a name stays as it is."""

    def name(seat: re.Match[str]) -> str:
        number = int(seat[1])
        return names[number] if number < len(names) else seat[0]

    return _SEAT.sub(name, line)


class Transcript:
    """The lines of one bout, made while it is played."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names` holds one name per seat; names that occur twice get their seat's number."""
        self._names = distinct_names(names)
        self._seat: int | None = None

    def turn(self, seat: int) -> list[str]:
        """A heading if the seat has changed, else nothing."""
        if seat == self._seat:
            return []
        self._seat = seat
        return ["Chance:" if seat == CHANCE else f"{self._names[seat]}:"]

    def moved(self, seat: int, line: str) -> list[str]:
        """The seat's move, as the game describes it, with names in place of "seat 1"."""
        return [*self.turn(seat), *map(_bullet, named(line, self._names).splitlines())]

    def forfeited(self, seat: int, kind: FaultKind, detail: str = "") -> list[str]:
        """The seat's fault."""
        line = FAULT_LINES[kind] + (f": {detail}" if detail else "")
        return [*self.turn(seat), _bullet(line)]

    def ended(self, places: Sequence[int]) -> list[str]:
        """A line with the names of the players in first place."""
        first = [name for name, place in zip(self._names, places, strict=True) if place == 1]
        if len(first) == 1:
            return [f"{first[0]} wins."]
        return [f"{', '.join(first[:-1])} and {first[-1]} come first together."]

    def scored(self, score: int, why: str) -> list[str]:
        """The common score of a cooperative game, and why it ended."""
        who = "Together they score" if len(self._names) > 1 else f"{self._names[0]} scores"
        return [f"{who} {score} ({why})."]


def narrate(game: Game, record: Record, bout: Bout, names: Sequence[str]) -> Iterator[str]:
    """Yields the whole transcript of a recorded bout; `names` are the seats'. Raises BadRecord."""
    transcript = Transcript(names)
    for step in steps(game, record, bout):
        if step.fault is not None:
            yield from transcript.forfeited(step.fault.seat, step.fault.kind)
        elif step.seat is not None and (step.line or step.seat != CHANCE):
            yield from transcript.moved(step.seat, step.line)  # A step of chance may have no line.
    if game.spec.cooperative:
        yield from transcript.scored(bout.scores[0], bout.why)
    else:
        yield from transcript.ended(bout.places)


def _bullet(event: str) -> str:
    return f"  - {event}"
