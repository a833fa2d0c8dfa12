"""Sends try-outs so that each author has one under way at a time. Judges no version.

The state is in the row of the version or draft. If the deadline of a waiting one has passed, its
try-out is due. If not, the try-out is under way, and no other of its author's is sent until then.
So a lost message costs the author one lease. Operators and the house are trusted, and need no turn.
Neither does a version in quarantine, whose try-out the platform itself wants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from matchbox.errors import TooMany
from server.db.models import (
    TRUSTED,
    WAITING,
    Bot,
    Draft,
    DraftState,
    Invitation,
    User,
    Version,
    VersionState,
)
from server.services import jobs, tryouts
from server.services.walls import wall
from server.times import HOUR_MS, lately

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

AGAIN_S: Final = 60
"""The seconds after which an upload may be tried again if too many wait for their verdicts."""
SLOW_MS: Final = 20_000
"""An author is slow after a try-out that took an arena longer than this, in ms."""
SLOW_FOR_MS: Final = HOUR_MS
"""The time, in ms, for which an author stays slow after the verdict on such a try-out."""


def check_pending(session: Session, user: User, network: str, *, settings: Settings) -> str:
    """Checks how many uploads of the account, and from its network, wait for their verdicts.

    Returns the network for which one more counts, or "" for none. Uploads of the members of a class
    count for their accounts alone: a class may share one address, and send all in the last minute
    before a season. Raises TooMany.
    """
    if user.trusted:
        return network
    waits = (Version.state == VersionState.PENDING, Version.deadline.is_not(None))
    versions = select(func.count()).select_from(Version).join(Version.bot).where(*waits)
    drafts = select(func.count()).where(Draft.state == DraftState.PENDING)
    mine = session.scalar(versions.where(Bot.owner_id == user.id)) or 0
    mine += session.scalar(drafts.where(Draft.owner_id == user.id)) or 0
    if mine >= settings.pending_tryouts:
        raise TooMany(
            f"{mine} of your uploads wait for their verdicts, and no more are allowed at a time; "
            "wait for the first of them, then upload this one",
            AGAIN_S,
        )
    joined = (Invitation.user_id == user.id, Invitation.joined.is_(True))
    in_class = session.scalar(select(Invitation.league_id).where(*joined).limit(1)) is not None
    if in_class or not network:
        return ""
    near = session.scalar(versions.where(Version.network == network)) or 0
    near += session.scalar(drafts.where(Draft.network == network)) or 0
    if near >= settings.pending_tryouts_per_address:
        raise TooMany(
            f"{near} uploads from your address wait for their verdicts, and no more are allowed "
            "at a time; try again in a minute",
            AGAIN_S,
        )
    return network


def advance(session: Session, *, settings: Settings, now: int, author: int | None = None) -> int:
    """Sends the try-outs whose turn it is, of one author or of all; returns how many were due.

    They go in the `order` of their uploads. Slow authors together hold at most half of the arenas,
    and their try-outs queue among the matches. While an arena has no wall, only those of trusted
    accounts are sent.
    """
    found = _due(session, settings, now, author)
    if not found:
        return 0
    busy, slow, present = _busy(session, settings, now), slow_authors(session, now), wall(session)
    room = max(1, len(present.playing) // 2) - len(busy & slow)
    for row, owner in found:
        if not (owner.trusted or present.walled):
            continue
        if owner.trusted or row.state == VersionState.QUARANTINED:
            tryouts.send(session, row, settings=settings, now=now)
        elif owner.id not in busy and (owner.id not in slow or room > 0):
            last = owner.id in slow
            if tryouts.send(session, row, settings=settings, now=now, last=last):
                busy.add(owner.id)
                room -= last
    return len(found)


def _due(
    session: Session, settings: Settings, now: int, author: int | None
) -> list[tuple[Version | Draft, User]]:
    """The versions and drafts whose try-out is due, with their owners, in the order of sending."""
    versions = select(Version, User).join(Version.bot).join(Bot.owner)
    due = jobs.overdue(session, tryouts.TRY_OUT, now, settings=settings)
    versions = versions.where(Version.state.in_(WAITING), due)
    drafts = select(Draft, User).join(Draft.owner)
    due = jobs.overdue(session, tryouts.TRY_DRAFT, now, settings=settings)
    drafts = drafts.where(Draft.state == DraftState.PENDING, due)
    found: list[tuple[Version | Draft, User]] = []
    for query in (versions, drafts):
        chosen = query if author is None else query.where(User.id == author)
        found += [(row, owner) for row, owner in session.execute(chosen)]
    return sorted(found, key=lambda one: order(one[0]))


def order(row: Version | Draft) -> tuple[int, int, int]:
    """Returns the key by which uploads are sorted for their try-outs: the oldest comes first.

    One whose try-out was lost counts as uploaded when that was sent, so that it waits neither
    before all others nor for ever behind new ones.
    """
    return row.sent_at or row.created_at, row.attempt, row.id


def _busy(session: Session, settings: Settings, now: int) -> set[int]:
    """The row numbers of the authors with a try-out under way, without trusted ones."""
    trusted = session.scalars(select(User.id).where(User.role.in_(TRUSTED)))
    return tryouts.under_way(session, settings, now) - set(trusted)


def slow_authors(session: Session, now: int) -> set[int]:
    """Returns the row numbers of the authors who recently had a long try-out."""
    recent = lately(Version.settled_at, SLOW_FOR_MS, now)
    versions = select(Bot.owner_id).join(Bot.versions).where(recent)
    drafts = select(Draft.owner_id).where(lately(Draft.settled_at, SLOW_FOR_MS, now))
    found = set(session.scalars(versions.where(Version.settled_at - Version.claimed_at > SLOW_MS)))
    long = drafts.where(Draft.settled_at - Draft.claimed_at > SLOW_MS)
    return found | set(session.scalars(long))
