"""The part of the bots' output that is stored with a match, by bout and decision, and the size of
the rest.

Knows the limits; plays nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from matchbox.match import frames, output
from matchbox.match.printed import PRINT, REPORT, TRACEBACK
from matchbox.match.seat import KEPT_REPORTS
from matchbox.match.wire import Diagnostic, LeftOut, Printed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from matchbox.match.seat import Seat

DIAGNOSTICS_KEPT: Final = KEPT_REPORTS
"""The number of reports kept per entrant of a match, in the order of its bouts."""
_KINDS: Final[Mapping[str, Literal["print", "traceback", "report"]]] = {
    PRINT: "print",
    TRACEBACK: "traceback",
    REPORT: "report",
}

_At = tuple[int, int, int]
"""A decision: deal, rotation, and how many moves its player had made before."""


class KeptOutput(NamedTuple):
    """The stored part of a match's output, by entrant, then in the order of its bouts."""

    diagnostics: list[Diagnostic]
    printed: list[Printed]
    left_out: list[LeftOut]


def kept_output(
    seats: Sequence[Sequence[tuple[int, Seat]]], deals: int, limit: int, *, reports: bool
) -> KeptOutput:
    """The part of the output that is stored. `seats` holds each entrant's seats, each with its
    rotation; `deals` is the number of deals of the match.

    For each entrant, up to `limit` bytes of printed text are stored, and a quarter of that number
    of tracebacks; only with `reports` also comments on moves, up to `limit` bytes.
    """
    kept = KeptOutput([], [], [])
    for entrant, own in enumerate(seats):
        found = _by_decision(own, deals)
        _keep_printed(kept, entrant, found, limit)
        if reports:
            _keep_reports(kept, entrant, own, found, limit)
    return kept


def _by_decision(seats: Sequence[tuple[int, Seat]], deals: int) -> list[tuple[_At, output.Part]]:
    found: dict[tuple[int, int], list[output.Part]] = {}
    for rotation, seat in seats:
        _drop_replayed(found, rotation, seat)
        found |= {(deal, rotation): parts for deal, parts in seat.printed().items()}
    return [
        ((deal, rotation, part.decision or 0), _readable(part))
        for (deal, rotation), parts in sorted(found.items())
        if deal < deals
        for part in parts
    ]


def _drop_replayed(found: dict[tuple[int, int], Any], rotation: int, seat: Seat) -> None:
    """Drops what earlier seats of the rotation left of bouts that this one has replayed. It may
    have said nothing in them, as one that is excluded."""
    for deal in seat.played:
        found.pop((deal, rotation), None)


def _keep_printed(
    kept: KeptOutput, entrant: int, found: Sequence[tuple[_At, output.Part]], limit: int
) -> None:
    room = output.Room(limit)
    rest: dict[str, list[tuple[_At, output.Part]]] = {}
    """By kind: the parts for which the match had no room."""
    for at, part in found:
        if part.kind == REPORT:
            continue
        fitting = room.fit(part)
        if fitting is None:
            rest.setdefault(part.kind, []).append((at, part))
        elif fitting.text:
            kept.printed.append(_printed(entrant, at, fitting))
        else:
            kept.left_out.append(_left_out(entrant, at, part.kind, part.left_out))
    for kind, parts in rest.items():
        count = sum(len(part.text.encode()) + part.left_out for _, part in parts)
        kept.left_out.append(_left_out(entrant, parts[0][0], kind, count, rest=True))


def _keep_reports(
    kept: KeptOutput,
    entrant: int,
    seats: Sequence[tuple[int, Seat]],
    found: Sequence[tuple[_At, output.Part]],
    room: int,
) -> None:
    bouts: dict[tuple[int, int], dict[int, str]] = {}
    for rotation, seat in seats:
        _drop_replayed(bouts, rotation, seat)
        for (deal, decision), text in (seat.reports or {}).items():
            bouts.setdefault((deal, rotation), {})[decision] = text
    reports = {(*bout, at): text for bout, told in bouts.items() for at, text in told.items()}
    reports |= {
        at: part.text[: frames.REPORT_LENGTH]
        for at, part in found
        if part.kind == REPORT and part.text
    }
    ordered, fitting = sorted(reports.items()), 0
    for at, text in ordered[:DIAGNOSTICS_KEPT]:
        room -= len(text.encode())
        if room < 0:
            break
        kept.diagnostics.append(Diagnostic(entrant, *at, text))
        fitting += 1
    full = [(at, part) for at, part in found if part.kind == REPORT and not part.text]
    kept.left_out.extend(
        _left_out(entrant, at, REPORT, part.left_out) for at, part in full[:DIAGNOSTICS_KEPT]
    )
    if rest := ordered[fitting:]:
        dropped = sum(seat.reports_left_out for _, seat in seats)
        count = dropped + sum(len(text.encode()) for _, text in rest)
        kept.left_out.append(_left_out(entrant, rest[0][0], REPORT, count, rest=True))


def _printed(entrant: int, at: _At, part: output.Part) -> Printed:
    deal, rotation, decision = at
    return Printed(
        entrant=entrant,
        deal=deal,
        rotation=rotation,
        decision=None if decision == output.LAST else decision,
        traceback=part.kind == TRACEBACK,
        text=part.text,
        left_out=part.left_out,
    )


def _left_out(entrant: int, at: _At, kind: str, count: int, *, rest: bool = False) -> LeftOut:
    deal, rotation, decision = at
    return LeftOut(
        entrant=entrant,
        deal=deal,
        rotation=rotation,
        decision=None if decision == output.LAST else decision,
        kind=_KINDS[kind],
        left_out=count,
        rest=rest,
    )


def _readable(part: output.Part) -> output.Part:
    return part._replace(text=frames.readable(part.text))
