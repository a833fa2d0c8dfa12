"""Sends try-outs so that each author has one under way at a time. Judges no version.

The version's row is the truth. A waiting version whose deadline has passed is due. One whose
deadline is to come is under way, and holds its author's turn until then; so a lost message holds
the turn for one lease. Operators and the house are trusted, and need no turn. Neither does a
version in quarantine, whose try-out the platform itself wants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from matchbox.errors import TooMany
from server.db.models import TRUSTED, WAITING, Bot, User, Version, VersionState
from server.services import tryouts
from server.services.walls import wall

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

SLOW_MS: Final = 20_000
"""An author is slow after a try-out that took an arena longer than this, in ms."""
SLOW_FOR_MS: Final = 3_600_000
"""How long an author stays slow after the verdict on such a try-out, in ms."""


def check_pending(session: Session, user: User, network: str, *, settings: Settings) -> None:
    """Raises TooMany if too many uploads of the account, or from its network, wait for verdicts."""
    if user.trusted:
        return
    waits = (Version.state == VersionState.PENDING, Version.deadline.is_not(None))
    query = select(func.count()).select_from(Version).join(Version.bot).where(*waits)
    mine = session.scalar(query.where(Bot.owner_id == user.id)) or 0
    if mine >= settings.pending_tryouts:
        raise TooMany(
            f"{mine} of your uploads wait for their verdicts, and no more are allowed at a time; "
            "wait for the first of them, then upload this one"
        )
    near = session.scalar(query.where(Version.network == network)) if network else 0
    if near and near >= settings.pending_tryouts_per_address:
        raise TooMany(
            f"{near} uploads from your address wait for their verdicts, and no more are allowed "
            "at a time; try again in a minute"
        )


def advance(session: Session, *, settings: Settings, now: int, author: int | None = None) -> int:
    """Sends the try-outs whose turn it is, of one author or of all; returns how many were due.

    An author's version that was sent least often comes first, then the oldest. Slow authors
    together hold at most half of the arenas, and their try-outs queue among the matches.
    """
    due = (Version.state.in_(WAITING), Version.deadline <= now)
    query = select(Version, User).join(Version.bot).join(Bot.owner).where(*due)
    if author is not None:
        query = query.where(User.id == author)
    found = session.execute(query.order_by(Version.attempt, Version.id)).all()
    if not found:
        return 0
    busy, slow = _busy(session, now), _slow(session, now)
    room = max(1, len(wall(session).arenas) // 2) - len(busy & slow)
    for version, owner in found:
        if owner.trusted or version.state == VersionState.QUARANTINED:
            tryouts.send(session, version, settings=settings, now=now)
        elif owner.id not in busy and (owner.id not in slow or room > 0):
            last = owner.id in slow
            if tryouts.send(session, version, settings=settings, now=now, last=last):
                busy.add(owner.id)
                room -= last
    return len(found)


def _busy(session: Session, now: int) -> set[int]:
    """The row numbers of the authors with a try-out under way, without trusted ones."""
    under_way = (Version.state == VersionState.PENDING, Version.deadline > now)
    query = select(Bot.owner_id).join(Bot.versions).join(Bot.owner)
    return set(session.scalars(query.where(*under_way, User.role.not_in(TRUSTED))))


def _slow(session: Session, now: int) -> set[int]:
    """The row numbers of the authors who recently had a long try-out."""
    took = Version.settled_at - Version.claimed_at
    lately = (Version.settled_at > now - SLOW_FOR_MS, took > SLOW_MS)
    return set(session.scalars(select(Bot.owner_id).join(Bot.versions).where(*lately)))
