"""The output of the bots of a match, for their owners and operators."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from matchbox.answers import matches as answers
from matchbox.errors import Forbidden
from server.queries.pagination import sees
from server.services.embargo import reason
from server.services.lookup import whole_id
from server.services.matches import load
from server.services.results import printed_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.db.models import MatchSeat, Result, User

Value = TypeVar("Value")


def match_log(session: Session, viewer: User | None, name: str) -> list[answers.LogLine]:
    """Returns the output of the viewer's own bots in the match; operators get that of all bots.

    Raises NotFound, and Forbidden if none of the bots is the viewer's or the match is under
    embargo.
    """
    row = load(session, [whole_id(session, name)])[0]
    mine = [seat for seat in row.seats if sees(viewer, seat.version.bot.owner_id)]
    if not mine:
        raise Forbidden("only the owners of its bots and operators may read a match's log")
    why = reason(session, row)
    if why is not None or row.result is None:
        raise Forbidden(why or f"match {name} has no log")
    viewer_id = viewer.id if viewer is not None else None
    return [_log(seat, row.result, viewer_id) for seat in mine]


def _log(seat: MatchSeat, result: Result, viewer_id: int | None) -> answers.LogLine:
    printed, left_out = printed_of(result)
    return answers.LogLine(
        bot=seat.version.bot.full_name,
        entrant=seat.seat,
        text=_at(result.logs, seat.seat, "") if result.logs_days is None else _gone(result),
        cpu_ms=_at(result.cpu_ms, seat.seat, 0.0),
        notes=[
            answers.Note(deal=deal, rotation=rotation, kind=kind, detail=detail)
            for entrant, deal, rotation, kind, detail in result.notes
            if entrant == seat.seat
        ],
        diagnostics=[
            answers.Diagnostic(
                deal=deal, rotation=rotation, decision=decision, report=_report(text)
            )
            for entrant, deal, rotation, decision, text in result.diagnostics
            if entrant == seat.seat and seat.version.bot.owner_id == viewer_id
        ],
        printed=[
            answers.PrintedText.model_validate(one, from_attributes=True)
            for one in printed
            if one.entrant == seat.seat
        ],
        left_out=[
            answers.LeftOut.model_validate(one, from_attributes=True)
            for one in left_out
            if one.entrant == seat.seat
        ],
    )


def _gone(result: Result) -> str:
    return f"The output was removed after {result.logs_days} days."


def _report(text: str) -> Any:
    """Returns the report as data; a report that was cut is returned as text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _at(values: Sequence[Value], place: int, default: Value) -> Value:
    return values[place] if place < len(values) else default
