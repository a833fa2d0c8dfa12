"""The results of playing matches again, which everybody may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from matchbox.answers.matches import MatchVerification
from matchbox.errors import NotFound
from server.db import models
from server.services.embargo import reason
from server.services.lookup import whole_id
from server.services.match_verifications import NOBODY
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def newest(session: Session, name: str) -> MatchVerification | None:
    """Returns the newest verification of the match with that id; None if there is none.

    A verification that nobody asked for is shown once the match is open.
    """
    which = models.MatchVerification
    query = select(which).where(which.match_id == name)
    row = session.scalar(query.order_by(which.id.desc()).limit(1))
    if row is None or (row.asker_id is None and reason(session, row.match)):
        return None
    return answer_of(row)


def verification(session: Session, name: str) -> MatchVerification:
    """Returns the newest verification of the match with that id or first digits.

    Raises NotFound.
    """
    found = newest(session, whole_id(session, name))
    if found is None:
        raise NotFound(f"match {name} has not been verified yet")
    return found


def answer_of(row: models.MatchVerification) -> MatchVerification:
    """Returns the row as an answer."""
    failed = not row.wanted and row.finding is None
    return MatchVerification(
        match=row.match_id,
        state="waiting" if row.wanted else "failed" if failed else "done",
        finding=row.finding,
        bout=row.bout,
        move=row.move,
        asked_at=iso(row.created_at),
        finished_at=iso(row.finished_at),
        why=_why(row) if failed else "" if row.wanted else row.trouble,
    )


def _why(row: models.MatchVerification) -> str:
    """The reason why there is no finding; the platform's own errors are for operators."""
    if row.trouble == NOBODY:
        return NOBODY
    if row.deadline is not None:  # It was not parked, so it ended before it was sent.
        return "its game has had other rules since an upgrade"
    return "the platform has failed at it too often; try it again later"
