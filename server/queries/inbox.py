"""An account's notices, and the ways in which they leave the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from matchbox.answers.notices import (
    MAY_BE_MUTED,
    DeliverySettings,
    FreshWebhook,
    Mail,
    NoticeLine,
    Notices,
    WebhookLine,
)
from server.db.models import Notice, User
from server.queries.pagination import newest
from server.services import notices, password_links, webhooks
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import Webhook


def inbox(
    session: Session,
    viewer: User,
    *,
    unread: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> Notices:
    """Returns a page of the viewer's notices, newest first; only the unread ones if asked for."""
    query = select(Notice).where(Notice.user_id == viewer.id)
    if unread:
        query = query.where(Notice.read_at.is_(None))
    shown, following = newest(session, query, Notice, cursor, limit)
    paths = notices.paths_of(session, [row.subject for row in shown])
    items = [_notice(row, paths[row.subject]) for row in shown]
    return Notices(items=items, next=following, unread=notices.unread(session, viewer.id))


def notice(session: Session, row: Notice) -> NoticeLine:
    """Returns a line of the inbox."""
    return _notice(row, notices.path_of(session, row.subject))


def _notice(row: Notice, path: str) -> NoticeLine:
    return NoticeLine(
        id=row.id,
        kind=row.kind,
        subject=row.subject,
        text=row.text,
        path=path,
        at=iso(row.at),
        read_at=iso(row.read_at),
    )


def delivery_settings(session: Session, viewer: User, settings: Settings) -> DeliverySettings:
    """Returns the settings by which the viewer's notices and bots leave the platform."""
    return DeliverySettings(
        email=viewer.email,
        kinds=list(MAY_BE_MUTED),
        muted=viewer.muted,
        mail=bool(settings.smtp_host),
        shares=viewer.shares,
        email_asked=viewer.email_asked,
        hooks=settings.webhooks,
        webhooks=webhook_lines(session, viewer),
    )


def mail(viewer: User) -> Mail:
    """Returns the address to which the viewer's notices are mailed, and the muted kinds."""
    return Mail(email=viewer.email, kinds=list(MAY_BE_MUTED), muted=viewer.muted)


def webhook_lines(session: Session, viewer: User) -> list[WebhookLine]:
    """Returns the viewer's webhooks, oldest first, without their secrets."""
    return [_webhook(row) for row in webhooks.listed(session, viewer)]


def fresh_webhook(row: Webhook) -> FreshWebhook:
    """Returns a webhook with its secret."""
    return FreshWebhook(**vars(_webhook(row)), secret=row.secret)


def _webhook(row: Webhook) -> WebhookLine:
    return WebhookLine(
        id=row.id,
        url=row.url,
        created_at=iso(row.created_at),
        arrived_at=iso(row.arrived_at),
        disabled_at=iso(row.disabled_at),
        trouble=row.trouble,
    )


def reset_name(
    session: Session, number: int, secret: str, settings: Settings, now: int
) -> str | None:
    """Returns the name of the account whose password this secret sets; None if it sets none."""
    user = session.get(User, number)
    found = password_links.is_open(user, secret, settings=settings, now=now)
    return user.name if user is not None and found else None
