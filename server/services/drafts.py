"""Tries out drafts: files whose author wants a verdict and no version. Runs no bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

from matchbox import registry
from matchbox.bundle import Manifest, check_class_name, read_bundle
from matchbox.errors import UploadsClosed
from server.db.models import Draft
from server.db.session import rows_changed
from server.services import disk, turns, uploads
from server.services.hourly_limits import check_hour
from server.times import HOUR_MS, lately

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User

KEPT_MS: Final = HOUR_MS
"""A draft and its verdict are deleted after this time, in ms. Its author's browser keeps the
text."""


def try_draft(
    session: Session,
    actor: User,
    *,
    game: str,
    data: bytes,
    bundle: Manifest | None = None,
    class_name: str | None = None,
    network: str = "",
    settings: Settings,
    now: int,
) -> Draft:
    """Tries these bytes out as a version is tried out, in the same turns, and keeps no version.

    An account may try as many drafts in an hour as it may upload; both are counted apart. Drafts
    and versions that wait for their verdicts are counted together. `bundle` is as for
    `uploads.upload`. Raises UnknownGame, BadName, BadBundle, UploadsClosed, TooMany or DiskFull.
    """
    disk.require_room(settings)
    registry.package_of(game)
    chosen = check_class_name(class_name or None) or ""
    digest = (bundle or read_bundle(data)).digest
    if why := uploads.refusal_for(session, actor):
        raise UploadsClosed(why)
    _check_quota(session, actor, settings, now)
    network = turns.check_pending(session, actor, network, settings=settings)
    draft = Draft(
        owner_id=actor.id,
        game=game,
        digest=digest,
        class_name=chosen,
        data=data,
        network=network,
        deadline=now,
        created_at=now,
    )
    session.add(draft)
    session.flush()
    turns.advance(session, settings=settings, now=now, author=actor.id)
    return draft


def trim(session: Session, *, now: int) -> int:
    """Deletes the drafts whose time is over; returns how many."""
    return rows_changed(session, delete(Draft).where(Draft.created_at <= now - KEPT_MS))


def _check_quota(session: Session, user: User, settings: Settings, now: int) -> None:
    recent = (Draft.owner_id == user.id, lately(Draft.created_at, HOUR_MS, now))
    made = select(Draft.created_at).where(*recent).order_by(Draft.created_at.desc())
    advice = ", or submit this one as a version"
    most = settings.uploads_per_hour
    check_hour(session, made, most, f"tried {most} drafts", advice=advice, now=now)
