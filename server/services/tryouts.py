"""The try-out of a version: sent, kept alive, sent again, parked. Judges nothing itself."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import structlog
from sqlalchemy import ColumnElement, select, update

from matchbox.errors import Conflict, Forbidden, NotFound
from matchbox.match.wire import Entrant, TryOut
from matchbox.settings import limits_of
from server import outbox
from server.db.models import WAITING, Bot, Role, User, Version, VersionState
from server.db.session import compare_and_set
from server.services import attempts, audit
from server.services.accounts import require_operator
from server.services.events import publish, storable

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

log = structlog.get_logger(__name__)


def send(
    session: Session, version: Version, *, settings: Settings, now: int, last: bool = False
) -> bool:
    """Sends a waiting version's try-out under a new attempt; False if somebody else just did.

    `last` has it wait among the matches, and not go before them. A version in quarantine plays
    against a bot of the house, where that has one for the game.
    """
    attempt = version.attempt + 1
    deadline = attempts.next_deadline(settings, now, attempt)
    values = {"attempt": attempt, "deadline": deadline, "claimed_at": None}
    if not _change(session, version, values, Version.attempt == version.attempt):
        return False
    outbox.post(
        session,
        TryOut(
            attempt=attempt,
            token=attempts.token_of(settings, version, attempt),
            game=version.bot.game,
            limits=limits_of(settings),
            version=version.digest,
            class_name=version.class_name or None,
            beside=_house_bot(session, version),
            deals=[secrets.token_hex(16) for _ in range(settings.tryout_deals)],
        ),
        last=last,
    )
    return True


def find(session: Session, digest: str, attempt: int, token: str, *, settings: Settings) -> Version:
    """The version whose try-out this token was made for: two bots may share a bundle.

    Raises NotFound where nobody uploaded such a bundle, Forbidden where the token is wrong.
    """
    versions = session.scalars(select(Version).where(Version.digest == digest)).all()
    if not versions:
        raise NotFound(f"there is no version {digest}")
    for version in versions:
        if attempts.is_of(settings, version, attempt, token):
            return version
    raise Forbidden(f"this is not the token of attempt {attempt} at version {digest}")


def claim(
    session: Session, version: Version, attempt: int, *, settings: Settings, now: int
) -> None:
    """Renews the deadline of a try-out under way. Raises Conflict where it is not wanted now, or
    so late that another version of its author has the turn."""
    if _has_passed(session, version, now):
        raise Conflict(f"the turn of version {version.digest} is over: it comes again")
    claimed_at = now if version.claimed_at is None else version.claimed_at
    values = {"deadline": attempts.next_deadline(settings, now), "claimed_at": claimed_at}
    unparked = Version.deadline.is_not(None)
    if not _change(session, version, values, Version.attempt == attempt, unparked):
        raise Conflict(f"attempt {attempt} at version {version.digest} is not wanted any more")


def lost(
    session: Session, version: Version, attempt: int, why: str, *, settings: Settings, now: int
) -> bool:
    """Counts a platform fault once per attempt; sent again, or parked after too many."""
    present = (Version.attempt == attempt, Version.deadline.is_not(None))
    if not _change(session, version, attempts.faulted(version, why, settings), *present):
        return False
    if version.deadline is not None:
        return send(session, version, settings=settings, now=now)
    _alarm(session, version, why, now)
    return True


def park(session: Session, version: Version, trouble: str, *, now: int) -> None:
    """Leaves a waiting version's try-out to the operator."""
    values = {"deadline": None, "trouble": storable(trouble, 500)}
    if _change(session, version, values, Version.attempt == version.attempt):
        _alarm(session, version, trouble, now)


def _alarm(session: Session, version: Version, why: str, now: int) -> None:
    """An operator has to look."""
    log.error("version.parked", version=version.id, bot=version.bot.full_name, why=why)
    publish(session, "version.parked", version.id, now=now)


def try_again(
    session: Session, actor: User, version: Version, *, settings: Settings, now: int
) -> None:
    """Sends a parked version's try-out once more. Raises Forbidden or Conflict."""
    require_operator(actor)
    fresh = {"platform_faults": 0}
    if not _change(session, version, fresh, Version.deadline.is_(None)):
        raise Conflict(f"version {version.id} is not parked")
    audit.note(session, actor, "version.requeue", f"version:{version.id}", now=now)
    send(session, version, settings=settings, now=now)


def make_active(session: Session, version: Version, now_in: VersionState, **values: Any) -> bool:
    """The version from that state to active, the bot's former active one to accepted."""
    former = (Version.bot_id == version.bot_id, Version.state == VersionState.ACTIVE)
    active = {"state": VersionState.ACTIVE, **values}
    if not compare_and_set(session, version, active, Version.state == now_in):
        return False
    others = update(Version).where(*former, Version.id != version.id)
    session.execute(others.values(state=VersionState.ACCEPTED))
    return True


def _house_bot(session: Session, version: Version) -> Entrant | None:
    """Whom a version in quarantine is tried with."""
    if version.state != VersionState.QUARANTINED:
        return None
    plays = (Bot.game == version.bot.game, Version.state == VersionState.ACTIVE)
    query = select(Version).join(Bot).join(User).where(*plays, User.role == Role.HOUSE)
    found = session.scalars(query.order_by(Version.id).limit(1)).first()
    return None if found is None else Entrant(found.digest, found.class_name or None)


def _has_passed(session: Session, version: Version, now: int) -> bool:
    """Whether the version's turn is over, and another of its author's has it."""
    owner = version.bot.owner
    in_time = version.deadline is None or version.deadline > now
    if in_time or owner.trusted or version.state != VersionState.PENDING:
        return False
    under_way = (Version.state == VersionState.PENDING, Version.deadline > now)
    query = select(Version.id).join(Version.bot).where(Bot.owner_id == owner.id, *under_way)
    return session.scalar(query.limit(1)) is not None


def _change(
    session: Session, version: Version, values: dict[str, Any], *so_far: ColumnElement[bool]
) -> bool:
    """Compare and set on a version that still waits for its verdict."""
    return compare_and_set(session, version, values, Version.state.in_(WAITING), *so_far)
