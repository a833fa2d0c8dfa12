"""Decides which notice is delivered next, by mail or to a webhook, and handles the result of each
try.

Sends nothing itself. `take` postpones a delivery by three minutes, so that no other sender takes it
meanwhile; if its sender dies, it is due again then. No other delivery to the same webhook, or by
mail, is taken meanwhile, nor for a minute after a failure. So a receiver that is slow or down costs
one try a minute at most. A mail that the server refuses holds up no other.

The rows of the others stay. `MAILS` and `Webhook.waits_until` store until when they wait,
`MAIL_ARRIVED` and `Webhook.arrived_at` when one last arrived.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import structlog
from sqlalchemy import case, delete, or_, select

from server.db.models import Delivery, Notice, Setting, User, Webhook
from server.db.session import compare_and_set, count_rows
from server.services import contact, notices, password_links
from server.services.events import storable
from server.times import CLOCKS_MS, MINUTE_MS, has_passed

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

log = structlog.get_logger(__name__)

BACKOFF_MS: Final = tuple(minutes * MINUTE_MS for minutes in (1, 5, 30, 120, 720))
"""The waits before each new try, in ms. A delivery that fails after the last one is given up."""
AT_ONCE: Final = 100
"""The most useless deliveries that one transaction deletes, since other writers wait for it."""
HELD_MS: Final = 3 * MINUTE_MS
"""How long a sender holds a delivery, in ms. A sender that has not reported by then has died: it
waits for no receiver as long as that."""


MAILS: Final = "mails"
"""The name of the setting's row that stores until when mails wait, UTC in ms."""
MAIL_ARRIVED: Final = "mail-arrived"
"""The name of the setting's row that was changed when the mail server last took a mail."""
TRIES: Final = 2
"""A mail fails if it has been tried this many times without success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A notice to be sent: by mail to `address`, or to the webhook at `url` with its `secret`."""

    delivery: int
    attempt: int
    held_until: int
    notice: int
    kind: str
    subject: str
    text: str
    link: str
    """The address of the page that the notice is about."""
    at: int
    account: str
    address: str | None = None
    url: str = ""
    secret: str = ""


def due(session: Session, *, now: int) -> int:
    """Returns how many deliveries are due."""
    return count_rows(session, Delivery, _is_due(now), *_not_held_up(session, now))


def count_failing_mails(session: Session, *, now: int) -> int:
    """Returns how many mails have been tried TRIES times or more, with no mail sent since they were
    written.

    If another one was sent since, the mail server works, and refuses only this one's address.
    """
    failing = [Delivery.webhook_id.is_(None), Delivery.attempts >= TRIES]
    row = session.get(Setting, MAIL_ARRIVED)
    if row is not None and row.changed_at <= now + CLOCKS_MS:  # A later one is of a wrong clock.
        failing.append(Delivery.notice.has(Notice.at > row.changed_at))
    return count_rows(session, Delivery, *failing)


def take(session: Session, *, settings: Settings, now: int) -> Parcel | None:
    """Takes the mail, or else the delivery, that has been due longest, and holds it for HELD_MS.

    One mail is sent at a time, so mails hold up no webhook; but many webhooks that hang would hold
    up the mails. Deletes due deliveries that can no longer be sent, at most AT_ONCE. Returns None
    if none is due, somebody else has just taken it, or none of those that it has looked at can be
    sent.
    """
    oldest = select(Delivery).where(_is_due(now), *_not_held_up(session, now))
    oldest = oldest.order_by(Delivery.due_at, Delivery.id).limit(1)
    mail = oldest.where(Delivery.webhook_id.is_(None))
    for _ in range(AT_ONCE):
        if (row := session.scalar(mail) or session.scalar(oldest)) is None:
            break
        address = _address(session, row)
        user = session.get_one(User, row.notice.user_id)
        useless = user.closed_at is not None or _has_dead_link(row, user, now)
        if useless or not _is_open(row, address, settings):
            session.delete(row)
            session.flush()
            continue
        until, seen = now + HELD_MS, row.due_at
        held = {"due_at": until, "attempts": row.attempts + 1}
        if not compare_and_set(session, row, held, Delivery.due_at == seen):
            return None
        _let_others_wait(session, row, until)
        return _parcel(session, row, address, settings)
    return None


def mark_delivered(session: Session, parcel: Parcel, *, now: int) -> None:
    """Deletes the delivery, and makes others to the same receiver due again."""
    row = _held(session, parcel)
    if row is None:
        return
    if row.webhook is not None:
        row.webhook.arrived_at, row.webhook.trouble = now, ""
    else:
        session.merge(Setting(name=MAIL_ARRIVED, value={}, changed_at=now))
    _let_others_wait(session, row, now)
    session.delete(row)
    session.flush()


def mark_failed(
    session: Session,
    parcel: Parcel,
    why: str,
    *,
    final: bool = False,
    alone: bool = False,
    now: int,
) -> None:
    """Schedules the delivery's next try, or gives it up: after the last try, or at once if `final`.

    Other mails wait for a minute, unless only this mail was refused (`alone`). Giving up disables
    the webhook if the failure is `final`, or if nothing has reached the webhook since the notice
    was written.
    """
    row = _held(session, parcel)
    if row is None:
        return
    why = storable(why, 500)
    if row.webhook is not None:
        row.webhook.trouble = why
    _let_others_wait(session, row, now if alone and row.webhook is None else now + MINUTE_MS)
    if not final and parcel.attempt <= len(BACKOFF_MS):
        if row.webhook is None:  # The owner of a webhook sees the reason, but only a log has this.
            log.warning("delivery.failed", notice=parcel.notice, attempt=parcel.attempt, why=why)
        row.due_at = now + BACKOFF_MS[parcel.attempt - 1]
        session.flush()
        return
    log.warning("delivery.given_up", notice=parcel.notice, why=why)
    webhook = row.webhook
    session.delete(row)
    session.flush()
    if webhook is not None and (final or (webhook.arrived_at or 0) < parcel.at):
        _disable(session, webhook, why, now)


def _is_due(now: int) -> ColumnElement[bool]:
    """The condition that a delivery is due.

    A delivery whose time is further ahead than the longest wait is due as well: the clock was ahead
    when that time was set.
    """
    longest = case(
        {tries: wait_ms for tries, wait_ms in enumerate(BACKOFF_MS, 1) if wait_ms > HELD_MS},
        value=Delivery.attempts,
        else_=HELD_MS,
    )
    return or_(Delivery.due_at <= now, Delivery.due_at - longest > now + CLOCKS_MS)


def _not_held_up(session: Session, now: int) -> tuple[ColumnElement[bool], ...]:
    """The conditions that leave out mails and deliveries to webhooks while others to the same
    receiver hold them up.

    A time that is further ahead than any wait comes from a clock that was ahead, and counts as
    over.
    """
    last = now + HELD_MS + CLOCKS_MS
    busy = select(Webhook.id).where(Webhook.waits_until > now, Webhook.waits_until <= last)
    free = or_(Delivery.webhook_id.is_(None), Delivery.webhook_id.not_in(busy))
    row = session.get(Setting, MAILS)
    waits = row is not None and now < row.value["until"] <= last
    return (free, Delivery.webhook_id.is_not(None)) if waits else (free,)


def _let_others_wait(session: Session, row: Delivery, until: int) -> None:
    """Lets the other deliveries to the same receiver wait until that time."""
    if row.webhook is None:
        session.merge(Setting(name=MAILS, value={"until": until}, changed_at=until))
    else:
        row.webhook.waits_until = until


def _held(session: Session, parcel: Parcel) -> Delivery | None:
    """The parcel's row; None if it was deleted, or somebody else has taken it since."""
    row = session.get(Delivery, parcel.delivery)
    same = row is not None and (row.notice_id, row.due_at) == (parcel.notice, parcel.held_until)
    return row if same else None


def _disable(session: Session, webhook: Webhook, why: str, now: int) -> None:
    webhook.disabled_at = now
    session.execute(delete(Delivery).where(Delivery.webhook_id == webhook.id))
    session.flush()
    text = (
        f"The webhook to {urlsplit(webhook.url).hostname} is disabled. Its notices could not be "
        f"delivered: {why}. Remove it and add it again once it answers."
    )
    subject = f"user:{webhook.user_id}"
    notices.notify_account(session, webhook.user_id, "webhook", subject, text, now=now)


def _address(session: Session, row: Delivery) -> str | None:
    if row.address is not None:
        return row.address
    user = session.get_one(User, row.notice.user_id)
    return user.email_asked if row.notice.kind == notices.CONFIRM else user.email


def _is_open(row: Delivery, address: str | None, settings: Settings) -> bool:
    """Whether the delivery can still be sent.

    It cannot if its webhook or address is gone, or if it has had its last try: a delivery is still
    here after that only if its sender died.
    """
    if row.attempts > len(BACKOFF_MS):
        return False
    if row.webhook is None:
        return bool(settings.smtp_host) and address is not None
    return settings.webhooks != "none" and row.webhook.disabled_at is None


def _has_dead_link(row: Delivery, user: User, now: int) -> bool:
    """Whether it is a mail whose link was used or replaced, or is too old."""
    if row.webhook is None and row.notice.kind == notices.CONFIRM:
        asked_at, valid_ms = user.email_asked_at, contact.VALID_MS
    elif row.webhook is None and row.notice.kind == notices.PASSWORD_LINK:
        asked_at, valid_ms = user.reset_asked_at, password_links.VALID_MS
    else:
        return False
    return asked_at != row.notice.at or has_passed(valid_ms + 1, row.notice.at, now)


def _parcel(session: Session, row: Delivery, address: str | None, settings: Settings) -> Parcel:
    notice = row.notice
    user = session.get_one(User, notice.user_id)
    path, text = notices.path_of(session, notice.subject), notice.text
    if row.webhook is None and notice.kind == notices.CONFIRM:
        path, text = contact.path_of(user, settings), contact.INVITATION
    elif row.webhook is None and notice.kind == notices.PASSWORD_LINK:
        path, text = password_links.path_of(user, settings), password_links.INVITATION
    return Parcel(
        delivery=row.id,
        attempt=row.attempts,
        held_until=row.due_at,
        notice=notice.id,
        kind=notice.kind,
        subject=notice.subject,
        text=text,
        link=settings.server_url.rstrip("/") + path,
        at=notice.at,
        account=user.name,
        address=address if row.webhook is None else None,
        url=row.webhook.url if row.webhook else "",
        secret=row.webhook.secret if row.webhook else "",
    )
