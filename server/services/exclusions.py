"""Takes entrants out of a season that has begun, and brings them back. The callers decide when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from sqlalchemy import ColumnElement, ColumnExpressionArgument, select, update

from server.db.models import (
    LONGEST_REASON,
    UNDER_WAY,
    UNFINISHED,
    Entry,
    Match,
    MatchSeat,
    MatchState,
    SeasonState,
    VoidCause,
)
from server.db.session import compare_and_set
from server.services import replacements
from server.services.events import publish_each, storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

AUTHOR_GONE: Final = "its author has deleted the account"
"""The reason why the bot of a deleted author is out of a season."""


def exclude_entry(
    session: Session, entry: Entry, out: Literal["suspended", "disqualified"], why: str, *, now: int
) -> int:
    """Takes the entrant out of its season; returns how many of its matches became void.

    Only unfinished matches become void. Returns 0 if the entrant is out in the same way already. A
    suspended entrant may still be disqualified.
    """
    values = {"out": out, "out_at": now, "out_why": storable(why, LONGEST_REASON)}
    if not compare_and_set(session, entry, values, Entry.out != out):
        return 0
    its_own = (Match.season_id == entry.season_id, has_seat_of(entry.version_id))
    reason = f"out of the season: {entry.bot.full_name}"
    return make_void(session, VoidCause.EXCLUDED, reason, *its_own, now=now)


def restore_entry(session: Session, entry: Entry, *, now: int) -> list[Match]:
    """Brings the entrant back; returns the new matches, which replace those that became void.

    In a season that is no longer under way no match is replaced. A match against an entrant that is
    still out stays void. Rounds that were opened without the entrant are not changed. The bot of
    a deleted author plays no further matches; those that it has played count again.
    """
    if entry.bot.owner.deleted_at is not None and entry.season.state != SeasonState.FINISHED:
        exclude_entry(session, entry, "suspended", AUTHOR_GONE, now=now)
        return []
    entry.out, entry.out_at, entry.out_why = "", None, ""
    session.flush()
    if entry.season.state not in UNDER_WAY:
        return []
    missed = _missed(session, entry)
    kept = {match.id for match in missed if replacements.is_secret(session, match)}
    return replacements.replace(session, missed, kept=kept, now=now)


def make_void(
    session: Session, cause: VoidCause, why: str, *which: ColumnExpressionArgument[bool], now: int
) -> int:
    """Makes the unfinished matches that `which` selects void; returns how many there were."""
    unfinished = (Match.state.in_(UNFINISHED), *which)
    found = session.scalars(select(Match.id).where(*unfinished).order_by(Match.number)).all()
    over = {"state": MatchState.VOID, "deadline": None, "finished_at": now, "void_cause": cause}
    if found:
        told = storable(why, LONGEST_REASON)
        session.execute(update(Match).where(*unfinished).values(**over, void_why=told))
    publish_each(session, "match.void", found, now=now)
    return len(found)


def leave_queues(session: Session, version: int, why: str, *, now: int) -> int:
    """Makes the version's unfinished ranked matches and comparisons' matches void; returns how
    many there were."""
    its_own = (Match.season_id.is_(None), has_seat_of(version))
    return make_void(session, VoidCause.SUSPENDED, why, *its_own, now=now)


def _missed(session: Session, entry: Entry) -> Sequence[Match]:
    still_out = (
        select(MatchSeat.match_id)
        .join(Entry, Entry.version_id == MatchSeat.version_id)
        .where(Entry.season_id == entry.season_id, Entry.out != "")
    )
    query = select(Match).where(
        Match.season_id == entry.season_id,
        Match.state == MatchState.VOID,
        Match.void_cause == VoidCause.EXCLUDED,
        has_seat_of(entry.version_id),
        Match.id.not_in(still_out),
        replacements.unreplaced(),
    )
    return session.scalars(query.order_by(Match.number)).all()


def has_seat_of(*versions: int | None) -> ColumnElement[bool]:
    """The condition that one of these versions has a seat in the match."""
    return Match.id.in_(select(MatchSeat.match_id).where(MatchSeat.version_id.in_(versions)))
