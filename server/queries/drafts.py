"""Drafts and their verdicts, for their owners alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchbox.answers.bots import Draft as AnsweredDraft
from matchbox.answers.bots import Report
from matchbox.errors import NotFound
from server.db.models import Draft, DraftState
from server.queries.pagination import title_of
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import User


def draft(session: Session, viewer: User | None, number: int) -> AnsweredDraft:
    """Returns the viewer's draft with that number. Raises NotFound."""
    row = _own(session, viewer, number)
    return AnsweredDraft(
        id=row.id,
        game=row.game,
        title=title_of(row.game),
        digest=row.digest,
        class_name=row.class_name or None,
        state=DraftState(row.state).value,
        created_at=iso(row.created_at),
        settled_at=iso(row.settled_at),
        trouble=row.trouble if row.state == DraftState.LOST else "",
        report=None if row.report is None else Report.model_validate(row.report),
    )


def draft_file(session: Session, viewer: User | None, number: int) -> bytes:
    """Returns the bytes of the viewer's draft with that number. Raises NotFound."""
    return _own(session, viewer, number).data


def _own(session: Session, viewer: User | None, number: int) -> Draft:
    row = session.get(Draft, number)
    if row is None or viewer is None or row.owner_id != viewer.id:
        raise NotFound(
            f"you have no draft {number} here; a draft is deleted an hour after it was tried"
        )
    return row
