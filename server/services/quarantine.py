"""Versions that are there whenever the platform fails: taken aside, and tried alone.

Knows who was present at which platform fault; judges nothing itself: the try-out against a house
bot does, and verdicts.py settles it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy import delete, func, select

from server.db.models import (
    Bot,
    Match,
    MatchSeat,
    PlatformFault,
    Role,
    User,
    Version,
    VersionState,
)
from server.db.session import compare_and_set
from server.services import turns
from server.services.events import publish, storable

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

log = structlog.get_logger(__name__)

FAULTS: Final = 3
"""A version present at this many platform faults within a day is taken aside."""
DAY_MS: Final = 24 * 3_600_000
PLAYING: Final = (VersionState.ACTIVE, VersionState.ACCEPTED)

HELD: Final = (
    select(MatchSeat.match_id)
    .join(Version, Version.id == MatchSeat.version_id)
    .where(Version.state == VersionState.QUARANTINED)
)
"""The matches that wait until a version of theirs is settled."""


def note(session: Session, match: Match, now: int) -> None:
    """Counts the platform's failure against every version in this match."""
    for version in {seat.version_id for seat in match.seats}:
        session.add(PlatformFault(version_id=version, match_id=match.id, at=now))


def take_aside(session: Session, *, settings: Settings, now: int) -> int:
    """Quarantines whoever was present too often, and has each tried alone; how many there were.

    The house's bots are what others are tried against, and stay.
    """
    session.execute(delete(PlatformFault).where(PlatformFault.at <= now - DAY_MS))
    often = (
        select(PlatformFault.version_id)
        .join(Version, Version.id == PlatformFault.version_id)
        .join(Bot, Bot.id == Version.bot_id)
        .join(User, User.id == Bot.owner_id)
        .where(Version.state.in_(PLAYING), User.role != Role.HOUSE)
        .group_by(PlatformFault.version_id)
        .having(func.count() >= FAULTS)
    )
    suspects = session.scalars(select(Version).where(Version.id.in_(often)).order_by(Version.id))
    return sum(_quarantine(session, one, settings, now) for one in suspects.all())


def forget(session: Session, version: Version) -> None:
    """Forgets the failures that were counted against the version."""
    session.execute(delete(PlatformFault).where(PlatformFault.version_id == version.id))


def _quarantine(session: Session, version: Version, settings: Settings, now: int) -> bool:
    last = session.scalar(
        select(Match.trouble)
        .join(PlatformFault, PlatformFault.match_id == Match.id)
        .where(PlatformFault.version_id == version.id, Match.trouble != "")
        .order_by(PlatformFault.at.desc(), PlatformFault.id.desc())
        .limit(1)
    )
    trouble = f"present when the platform failed {FAULTS} times within a day: {last or 'no word'}"
    values = {
        "state": VersionState.QUARANTINED,
        "platform_faults": 0,
        "deadline": now,
        "trouble": storable(trouble, 500),
        "settled_at": None,
    }
    if not compare_and_set(session, version, values, Version.state.in_(PLAYING)):
        return False
    log.error("version.quarantined", version=version.id, bot=version.bot.full_name, why=trouble)
    publish(session, "version.quarantined", version.id, now=now)
    turns.advance(session, settings=settings, now=now, author=version.bot.owner_id)
    return True
