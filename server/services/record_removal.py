"""Removes old records, and the output of bots, from matches that are over.

These stay: places, scores, numbers of moves, digests, and the seeds by which ratings tell deals
apart. Records of a season are removed only after its end, and not while any lesson or verification
may need them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select, update

from server.db.models import OVER, Match, MatchState, MatchVerification, Result, Season
from server.db.session import rows_changed
from server.services.embargo import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

GONE: Final = b""
"""Stands in the place of a removed record or file."""


def old_output(before: int) -> Select[Any]:
    """Selects the matches that ended before that time and whose bots' output is still there."""
    there = (Result.logs_days.is_(None), Result.finished_at < before)
    return _over().where(*there, ~_season_goes_on())


def remove_output(session: Session, matches: Sequence[str], days: int) -> int:
    """Removes the output, notes and reports of the bots from these results; returns how many."""
    values = {"logs": [], "diagnostics": [], "notes": [], "printed": [], "logs_days": days}
    return rows_changed(
        session, update(Result).where(Result.match_id.in_(matches)).values(**values)
    )


def old_records(before: int) -> Select[Any]:
    """Selects the matches outside of seasons that ended before that time and have a record.

    Leaves out those whose deals are closed, and those that an arena is verifying.
    """
    outside_seasons = (Match.season_id.is_(None), Result.finished_at < before)
    return _with_record().where(*outside_seasons)


def old_season_records(before: int) -> Select[Any]:
    """Selects the matches with a record of seasons that were over before that time."""
    over = (Season.state.in_(OVER), Season.finished_at < before)
    return _with_record().join(Season, Season.id == Match.season_id).where(*over)


def remove_records(session: Session, matches: Sequence[str], days: int) -> int:
    """Removes the records of these matches, and keeps the seeds of their deals.

    Returns how many it removed.
    """
    values = {"record": GONE, "record_days": days}
    return rows_changed(
        session, update(Result).where(Result.match_id.in_(matches)).values(**values)
    )


def _over() -> Select[Any]:
    # Almost all matches are over, so with the index of states SQLite would read all of them.
    state = func.coalesce(Match.state, MatchState.QUEUED)
    final = state.in_((MatchState.FINISHED, MatchState.VOID))
    return select(Result.match_id).join(Result.match).where(final).order_by(Result.finished_at)


def _with_record() -> Select[Any]:
    verifying = (
        select(MatchVerification.id)
        .where(MatchVerification.match_id == Match.id, MatchVerification.wanted.is_(True))
        .exists()
    )
    return _over().where(Result.record_days.is_(None), readable(), ~verifying)


def _season_goes_on() -> ColumnElement[bool]:
    return select(Season.id).where(Season.id == Match.season_id, Season.state.not_in(OVER)).exists()
