"""A bout told in lines: a heading a turn, an indented bullet an event. Knows no game.

What a move looks like is the game's `describe`; what a fault and an ending look like is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matchbox.match.replay import steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matchbox.errors import FaultKind
    from matchbox.game import Game
    from matchbox.match.record import Bout, Record

_FAULTS: Final[dict[str, str]] = {
    "crash": "raised an exception and lost",
    "excluded": "lost, for three bouts of this match were forfeited before",
    "illegal": "cheated and lost",
    "memory": "used too much memory and lost",
    "platform": "was stopped by a fault of the platform",
    "protocol": "gave no proper answer and lost",
    "timeout": "took too long and lost",
}


class Transcript:
    """The lines of one bout, made as it goes."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names` holds one a seat; names that occur twice get their seat's number."""
        self._names = [
            f"{name}{seat}" if names.count(name) > 1 else name for seat, name in enumerate(names)
        ]
        self._seat: int | None = None

    def turn(self, seat: int) -> list[str]:
        """A heading, where another seat than before is asked."""
        if seat == self._seat:
            return []
        self._seat = seat
        return [f"{self._names[seat]}:"]

    def moved(self, seat: int, line: str) -> list[str]:
        """The seat's move, as the game describes it."""
        return [*self.turn(seat), *map(_bullet, line.splitlines())]

    def forfeited(self, seat: int, kind: FaultKind, detail: str = "") -> list[str]:
        """The seat's fault."""
        told = _FAULTS[kind] + (f": {detail}" if detail else "")
        return [*self.turn(seat), _bullet(told)]

    def ended(self, places: Sequence[int]) -> list[str]:
        """Who came first."""
        first = [name for name, place in zip(self._names, places, strict=True) if place == 1]
        if len(first) == 1:
            return [f"{first[0]} wins."]
        return [f"{', '.join(first[:-1])} and {first[-1]} come first together."]

    def scored(self, score: int, why: str) -> list[str]:
        """What those who play together have come to."""
        who = "Together they score" if len(self._names) > 1 else f"{self._names[0]} scores"
        return [f"{who} {score} ({why})."]


def tell(game: Game, record: Record, bout: Bout, names: Sequence[str]) -> Iterator[str]:
    """The whole transcript of a recorded bout; `names` are the seats'. Raises BadRecord."""
    transcript = Transcript(names)
    for number, step in enumerate(steps(game, record, bout)):
        for fault in bout.faults:
            if fault.step == number:
                yield from transcript.forfeited(fault.seat, fault.kind)
        if step.seat is not None:
            yield from transcript.moved(step.seat, step.line)
    if game.spec.cooperative:
        yield from transcript.scored(bout.scores[0], bout.why)
    else:
        yield from transcript.ended(bout.places)


def _bullet(event: str) -> str:
    return f"  - {event}"
