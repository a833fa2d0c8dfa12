"""Adds, lists and removes the webhooks to which an account's notices are posted. Posts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

from matchbox.errors import Conflict, Forbidden, NotFound, TooMany
from server import webhook_client
from server.db.models import Delivery, Notice, Webhook
from server.services import notices
from server.services.hourly_limits import check_hour
from server.ssrf_guard import read_url
from server.times import HOUR_MS, lately

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User

MAX_WEBHOOKS: Final = 5
"""The most webhooks that an account may have."""
ADDED: Final = 20
"""The number of webhooks that an account may add in an hour."""


_ADDED: Final = "Your notices are posted to a webhook"
"""The beginning of the notice of a new webhook."""


def add(session: Session, user: User, url: str, *, settings: Settings, now: int) -> Webhook:
    """Adds a webhook to the account, and returns it with its new secret.

    The webhook's first notice says that it was added. Raises Forbidden if this platform has no
    webhooks, BadOption for a URL that is not allowed, Conflict if the account has it already, or
    TooMany if the account has MAX_WEBHOOKS webhooks or has just added ADDED.
    """
    if settings.webhooks == "none":
        raise Forbidden("there are no webhooks here; the operator has switched them off")
    host = read_url(url, anywhere=settings.webhooks == "any").host
    mine = listed(session, user)
    if url in (one.url for one in mine):
        raise Conflict("you have this webhook already; remove it first for a new secret").of("url")
    if len(mine) >= MAX_WEBHOOKS:
        raise TooMany(f"an account has up to {MAX_WEBHOOKS} webhooks; remove one first")
    told = (Notice.user_id == user.id, Notice.kind == "webhook", Notice.text.startswith(_ADDED))
    recent = lately(Notice.at, HOUR_MS, now)
    added = select(Notice.at).where(*told, recent).order_by(Notice.at.desc())
    check_hour(session, added, ADDED, f"added {ADDED} webhooks", now=now)
    made = Webhook(user_id=user.id, url=url, secret=webhook_client.make_secret(), created_at=now)
    session.add(made)
    session.flush()
    text = f"{_ADDED} at {host} from now on."
    notices.notify_account(session, user.id, "webhook", f"user:{user.id}", text, now=now)
    return made


def listed(session: Session, user: User) -> Sequence[Webhook]:
    """Returns the account's webhooks, oldest first."""
    mine = select(Webhook).where(Webhook.user_id == user.id).order_by(Webhook.id)
    return session.scalars(mine).all()


def remove(session: Session, user: User, number: int) -> None:
    """Removes one of the account's webhooks, and its waiting deliveries. Raises NotFound."""
    found = session.scalar(select(Webhook).where(Webhook.id == number, Webhook.user_id == user.id))
    if found is None:
        raise NotFound(f"you have no webhook {number}")
    session.execute(delete(Delivery).where(Delivery.webhook_id == number))
    session.delete(found)
    session.flush()
