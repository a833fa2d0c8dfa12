"""Try-outs of versions and drafts as jobs for an arena. Judges nothing."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, select, update

from matchbox.errors import Conflict
from matchbox.match import wire
from matchbox.match.wire import Entrant, TryOut
from matchbox.settings import limits_of
from server import outbox
from server.db.models import WAITING, Bot, Draft, DraftState, Role, User, Version, VersionState
from server.db.session import compare_and_set
from server.services import audit, fields, jobs
from server.services.accounts import require_operator
from server.services.jobs import JobKind
from server.services.lookup import find_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings


def send(
    session: Session, row: Version | Draft, *, settings: Settings, now: int, last: bool = False
) -> bool:
    """Sends the try-out of a waiting version or draft as a new attempt. Returns False if it was
    not sent; see `jobs.lease`.

    With `last` the try-out queues among the matches instead of before them. A version in quarantine
    plays against a bot of the house, if the house has one for the game.
    """
    kind = replace(kind_of(row), express=not last)  # Express arenas do not take the last ones.
    if not jobs.lease(session, kind, row, settings=settings, now=now):
        return False
    outbox.post(
        session,
        TryOut(
            attempt=row.attempt,
            token=jobs.token_of(settings, row, row.attempt),
            game=row.game,
            limits=limits_of(settings),
            version=row.digest,
            class_name=row.class_name or None,
            beside=house_bot(session, row),
            deals=[secrets.token_hex(16) for _ in range(settings.tryout_deals)],
        ),
        task=wire.TRY_OUT_LAST if last else None,
    )
    return True


def kind_of(row: Version | Draft) -> JobKind[Any]:
    """Returns the kind of job that the try-out of this row is."""
    return TRY_DRAFT if isinstance(row, Draft) else TRY_OUT


def under_way(session: Session, settings: Settings, now: int) -> set[int]:
    """Returns the row numbers of the accounts with a try-out under way, without quarantines."""
    versions = (Version.state == VersionState.PENDING, jobs.in_time(TRY_OUT, now, settings))
    drafts = (Draft.state == DraftState.PENDING, jobs.in_time(TRY_DRAFT, now, settings))
    found = set(session.scalars(select(Bot.owner_id).join(Bot.versions).where(*versions)))
    return found | set(session.scalars(select(Draft.owner_id).where(*drafts)))


def try_again(session: Session, actor: User, number: int, *, settings: Settings, now: int) -> None:
    """Queues the try-out of the parked version with that row number again; turns.py sends it.

    Raises Forbidden, NotFound or Conflict.
    """
    require_operator(actor)
    version = find_version(session, number)
    jobs.requeue(session, TRY_OUT, version, settings=settings, now=now)
    audit.note(session, actor, "version.requeue", f"version:{version.id}", now=now)


def make_active(session: Session, version: Version, before: VersionState, **values: Any) -> bool:
    """Makes a version that is in the state `before` active; returns False if it is not.

    The bot's former active version becomes accepted. `values` are further columns to set.
    """
    active = {"state": VersionState.ACTIVE, **values}
    if not compare_and_set(session, version, active, Version.state == before):
        return False
    former = (Version.bot_id == version.bot_id, Version.state == VersionState.ACTIVE)
    others = update(Version).where(*former, Version.id != version.id)
    session.execute(others.values(state=VersionState.ACCEPTED))
    fields.change(session, version.game)
    return True


def house_bot(session: Session, version: Version | Draft) -> Entrant | None:
    """Returns the house's bot that a version in quarantine plays against; None if there is none."""
    if version.state != VersionState.QUARANTINED:
        return None
    plays = (Bot.game == version.game, Version.state == VersionState.ACTIVE)
    query = select(Version).join(Bot).join(User).where(*plays, User.role == Role.HOUSE)
    found = session.scalars(query.order_by(Version.id).limit(1)).first()
    return None if found is None else Entrant(found.digest, found.class_name or None)


def _claimed(
    session: Session, row: Version | Draft, settings: Settings, now: int
) -> dict[str, Any]:
    """The columns that a claim sets: the time of the attempt's first claim.

    Raises Conflict if the claim comes so late that another try-out of the author has the turn.
    """
    if _has_passed(session, row, settings, now):
        raise Conflict(f"the turn of version {row.digest} is over: it comes again")
    return {"claimed_at": now if row.claimed_at is None else row.claimed_at}


def _has_passed(session: Session, row: Version | Draft, settings: Settings, now: int) -> bool:
    """Whether the row's turn is over, and another try-out of its author has the turn."""
    if row.owner.trusted or row.state != VersionState.PENDING:
        return False
    kind = kind_of(row)
    this = kind.model.id == row.id
    if session.scalar(select(kind.model.id).where(this, jobs.in_time(kind, now, settings))):
        return False
    return row.owner.id in under_way(session, settings, now)


def _of_bundle(session: Session, digest: str) -> Sequence[Version | Draft]:
    """The versions and drafts with these bytes. A message's token identifies one of them."""
    versions = session.scalars(select(Version).where(Version.digest == digest)).all()
    return [*versions, *session.scalars(select(Draft).where(Draft.digest == digest))]


_UNDER_WAY: Final = and_(Version.state.in_(WAITING), Version.deadline.is_not(None))

TRY_OUT: Final[JobKind[Any]] = JobKind(
    name="version",
    express=True,
    model=Version,
    rows=_of_bundle,
    queued=_UNDER_WAY,
    leased=and_(_UNDER_WAY, Version.deadline != jobs.DUE),
    parked=and_(Version.state.in_(WAITING), Version.deadline.is_(None)),
    to_leased={"claimed_at": None},
    claimed=_claimed,
)
"""A try-out that was lost or requeued waits for its author's turn; turns.py sends it again.

Until then its deadline is DUE. A try-out whose deadline has passed is both queued and leased: it
may be sent again, but its arena may still claim it.
"""

_DRAFT_UNDER_WAY: Final = and_(Draft.state == DraftState.PENDING, Draft.deadline.is_not(None))

TRY_DRAFT: Final[JobKind[Any]] = JobKind(
    name="draft",
    express=True,
    model=Draft,
    rows=_of_bundle,
    queued=_DRAFT_UNDER_WAY,
    leased=and_(_DRAFT_UNDER_WAY, Draft.deadline != jobs.DUE),
    parked=Draft.state == DraftState.LOST,
    to_leased={"claimed_at": None},
    to_parked={"state": DraftState.LOST, "deadline": None},
    claimed=_claimed,
)
"""The try-out of a draft, which takes its turn among its author's versions.

To an arena it is the try-out of a version. Instead of being parked it is lost: no operator handles
drafts, and its author can send it again.
"""
