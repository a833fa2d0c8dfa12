"""Quarantines versions that are often present when the platform fails, and has them tried again.

Counts the platform faults at which a version was present. A quarantined version is tried out
against a bot of the house, and verdicts.py settles it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy import delete, func, select

from server.db.models import Bot, Match, MatchSeat, PlatformFault, Role, User, Version, VersionState
from server.db.session import compare_and_set
from server.services import audit, fault_counts, fields, jobs, notices, turns
from server.services.events import publish, storable
from server.times import DAY_MS

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

log = structlog.get_logger(__name__)

FAULTS: Final = 3
"""A version that was present at this many platform faults within a day is quarantined."""
PLAYING: Final = (VersionState.ACTIVE, VersionState.ACCEPTED)

HELD: Final = (
    select(MatchSeat.match_id)
    .join(Version, Version.id == MatchSeat.version_id)
    .where(Version.state == VersionState.QUARANTINED)
)
"""Selects the ids of the matches that wait until one of their versions is settled."""


def count_fault(session: Session, match: Match, now: int) -> None:
    """Counts a platform fault against every version in this match."""
    for version in {seat.version_id for seat in match.seats}:
        session.add(PlatformFault(version_id=version, match_id=match.id, at=now))
    fault_counts.book_platform(session, match, now=now)


def quarantine_suspects(session: Session, *, settings: Settings, now: int) -> int:
    """Quarantines versions that were present at too many platform faults; returns how many.

    Each is tried out again, apart from other authors' bots. The house's versions are never
    quarantined, since others are tried against them.
    """
    session.execute(delete(PlatformFault).where(PlatformFault.at <= now - DAY_MS))
    present = select(PlatformFault.version_id).group_by(PlatformFault.version_id)
    often = session.scalars(present.having(func.count() >= FAULTS)).all()
    suspects = (
        select(Version)
        .join(Version.bot)
        .join(Bot.owner)
        .where(Version.id.in_(often), User.role != Role.HOUSE)
        .order_by(Version.id)
    )
    # The state is compared here: in the query, it would make SQLite read every active version.
    playing = [one for one in session.scalars(suspects).all() if one.state in PLAYING]
    return sum(_quarantine(session, one, settings, now) for one in playing)


def forget(session: Session, version: Version) -> None:
    """Deletes the platform faults that were counted against the version."""
    session.execute(delete(PlatformFault).where(PlatformFault.version_id == version.id))


def _quarantine(session: Session, version: Version, settings: Settings, now: int) -> bool:
    last = session.scalar(
        select(Match.trouble)
        .join(PlatformFault, PlatformFault.match_id == Match.id)
        .where(PlatformFault.version_id == version.id, Match.trouble != "")
        .order_by(PlatformFault.at.desc(), PlatformFault.id.desc())
        .limit(1)
    )
    trouble = f"present when the platform failed {FAULTS} times within a day: {last or 'no error'}"
    values = {
        "state": VersionState.QUARANTINED,
        "platform_faults": 0,
        "attempt": jobs.with_room(version.attempt),
        "deadline": now,
        "sent_at": None,
        "trouble": storable(trouble, 500),
        "settled_at": None,
    }
    if not compare_and_set(session, version, values, Version.state.in_(PLAYING)):
        return False
    fields.change(session, version.game)
    log.error("version.quarantined", version=version.id, bot=version.bot.full_name, why=trouble)
    publish(session, "version.quarantined", version.id, now=now)
    subject, times = f"version:{version.id}", f"{FAULTS} times within a day"
    audit.note(session, None, "version.quarantine", subject, {"why": trouble}, now=now)
    text = (
        f"{version.bot.full_name} version {version.number} is tried out again, since it was "
        f"present when the platform failed {times}. Its matches wait until then."
    )
    notices.notify_account(session, version.bot.owner_id, "verdict", subject, text, now=now)
    turns.advance(session, settings=settings, now=now, author=version.bot.owner_id)
    return True
