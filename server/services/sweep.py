"""Finds what did not come back in time, and puts it to work again. Counts no fault for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import update

from server.db.models import Match, MatchState
from server.db.session import rows_changed
from server.services import lessons, turns

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings


def sweep(session: Session, *, settings: Settings, now: int) -> int:
    """Matches past their deadline are queued, lessons and try-outs sent again; how many.

    A try-out waits for its author's turn, also for being sent the first time.
    """
    late = _sweep_matches(session, now) + turns.advance(session, settings=settings, now=now)
    return late + lessons.sweep(session, settings=settings, now=now)


def _sweep_matches(session: Session, now: int) -> int:
    late = (Match.state == MatchState.RUNNING, Match.deadline < now)
    values = {"state": MatchState.QUEUED, "deadline": None}
    return rows_changed(session, update(Match).where(*late).values(**values))
