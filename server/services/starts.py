"""Finds the time at which a season of a scheduled league is to start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from matchbox.league.format import Schedule, read
from server.db.models import UPCOMING, Season, SeasonState
from server.services import schedule

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import League


def of_new_season(session: Session, league: League, *, now: int) -> int | None:
    """Returns the start of the league's next season; None if a season waits for it already."""
    waiting = (Season.state.in_(UPCOMING), Season.starts_at.is_not(None))
    mine = select(Season.id).where(Season.league_id == league.id, *waiting)
    return free_start(session, league, now=now) if session.scalar(mine.limit(1)) is None else None


def free_start(session: Session, league: League, *, but: int | None = None, now: int) -> int | None:
    """Returns the first time of the league's schedule that no other edition than `but` has or had.

    A cancelled edition leaves a single start to another one. Raises BadOption if the schedule is
    not valid any more.
    """
    plan = read(Schedule, league.schedule)
    mine = (Season.league_id == league.id, Season.edition.is_distinct_from(but))
    taken = select(Season.starts_at).where(*mine, Season.starts_at > now)
    if plan.once is not None:
        taken = taken.where(Season.state != SeasonState.CANCELLED)
    had = set(session.scalars(taken))
    found = schedule.next_start(plan, now)
    while found is not None and found in had:
        found = schedule.next_start(plan, found)
    return found
