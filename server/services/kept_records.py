"""Records of matches: read one, or say that it was removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from matchbox.errors import Forbidden, NotFound, quoted
from matchbox.match import record as records
from server.db.models import Match, Result
from server.services.embargo import reason

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.record import Record
    from server.db.models import Season


def record_of(session: Session, match: str) -> Record:
    """Returns the record of the match with that id.

    Raises NotFound, or Forbidden with the reason for the embargo.
    """
    row = session.get(Match, match)
    if row is None:
        raise NotFound(f"there is no match {quoted(match)}")
    why = reason(session, row)
    if why is not None or row.result is None:
        raise Forbidden(why or f"match {match} has no record").to_everybody()
    require_record(row.result, match)
    return records.unpack(row.result.record)


def removal_note(result: Result | None, name: str) -> str | None:
    """Returns a sentence about the removal of the record; None if it was not removed."""
    if result is None or result.record_days is None:
        return None
    return f"the record of match {name} was removed after {result.record_days} days"


def require_record(result: Result | None, name: str) -> None:
    """Raises NotFound if the record was removed."""
    if why := removal_note(result, name):
        raise NotFound(why)


def season_removal_note(session: Session, season: Season) -> str | None:
    """Returns a sentence about the removal of records of the season; None if none was removed."""
    days = select(Result.record_days).join(Result.match).where(Match.season_id == season.id)
    found = session.scalar(days.where(Result.record_days.is_not(None)).limit(1))
    if found is None:
        return None
    return f"records of season {season.name} were removed {found} days after its end"
