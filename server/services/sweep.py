"""Finds what did not come back in time, and puts it to work again. Counts no fault for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from server.db.models import WAITING, Match, MatchState, Version
from server.db.session import rows_changed
from server.services import lessons, tryouts
from server.services.dispatch import MOST_ATTEMPTS

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings


def sweep(session: Session, *, settings: Settings, now: int) -> int:
    """Matches past their deadline are queued, try-outs and lessons sent again; how many."""
    late = _sweep_matches(session, now) + _sweep_tryouts(session, settings, now)
    return late + lessons.sweep(session, settings=settings, now=now)


def _sweep_matches(session: Session, now: int) -> int:
    late = (Match.state == MatchState.RUNNING, Match.deadline < now)
    values = {"state": MatchState.QUEUED, "deadline": None}
    return rows_changed(session, update(Match).where(*late).values(**values))


def _sweep_tryouts(session: Session, settings: Settings, now: int) -> int:
    late = (Version.state.in_(WAITING), Version.deadline < now)
    versions = session.scalars(select(Version).where(*late).order_by(Version.id)).all()
    for version in versions:
        if version.attempt % MOST_ATTEMPTS == 0:
            trouble = f"sent {version.attempt} times, and it never came back"
            tryouts.park(session, version, trouble, now=now)
        else:
            tryouts.send(session, version, settings=settings, now=now)
    return len(versions)
