"""An account's own notices, and the ways by which they leave the house, as they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from server.db.models import Notice
from server.queries.pagination import iso, numbers, page, page_size
from server.services import contact, notices, webhooks

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User, Webhook


def inbox(
    session: Session,
    viewer: User,
    *,
    unread: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> dict[str, Any]:
    """A page of the viewer's notices, newest first: id, kind, subject, text, path (of the page
    that it is about), at, read_at; and unread: how many of all are.
    """
    query = select(Notice).where(Notice.user_id == viewer.id)
    if unread:
        query = query.where(Notice.read_at.is_(None))
    if cursor is not None:
        query = query.where(Notice.id < numbers(cursor, 1)[0])
    found = session.scalars(query.order_by(Notice.id.desc()).limit(page_size(limit) + 1)).all()
    shown = page(found, limit, lambda row: notice(session, row), lambda row: str(row.id))
    return {**shown, "unread": notices.unread(session, viewer.id)}


def notice(session: Session, row: Notice) -> dict[str, Any]:
    """A line of the inbox."""
    return {
        "id": row.id,
        "kind": row.kind,
        "subject": row.subject,
        "text": row.text,
        "path": notices.path_of(session, row.subject),
        "at": iso(row.at),
        "read_at": iso(row.read_at),
    }


def ways_out(session: Session, viewer: User, settings: Settings) -> dict[str, Any]:
    """As `mail`, and: shares (whether the bots go with exported seasons), mail (whether any is sent
    here), email_asked (not confirmed yet), hooks (whether there are any here: public, any or
    none), webhooks: as `webhook`.
    """
    return {
        **mail(viewer),
        "mail": bool(settings.smtp_host),
        "shares": viewer.shares,
        "email_asked": viewer.email_asked,
        "hooks": settings.webhooks,
        "webhooks": [webhook(row) for row in webhooks.listed(session, viewer)],
    }


def mail(viewer: User) -> dict[str, Any]:
    """email (confirmed, or None), kinds (of notices), muted (those that are not mailed)."""
    return {"email": viewer.email, "kinds": list(notices.KINDS), "muted": viewer.muted}


def webhook(row: Webhook) -> dict[str, Any]:
    """A webhook without its secret: id, url, created_at, arrived_at, disabled_at, trouble."""
    return {
        "id": row.id,
        "url": row.url,
        "created_at": iso(row.created_at),
        "arrived_at": iso(row.arrived_at),
        "disabled_at": iso(row.disabled_at),
        "trouble": row.trouble,
    }


def link_open(viewer: User, secret: str, settings: Settings, now: int) -> bool:
    """Whether this secret of the link to the viewer's address can be used."""
    return contact.is_open(viewer, secret, settings=settings, now=now)
