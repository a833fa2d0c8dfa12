"""Notices: lines in an account's inbox, which also go out by e-mail and webhooks.

Only writes rows; the ledger's courier sends the deliveries. The service that notices an event
writes the text. This module decides where it is delivered, and how many notices are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, func, insert, not_, select, update
from sqlalchemy.orm import joinedload

from matchbox.errors import NotFound
from server.db.models import Bot, Delivery, Notice, Role, User, Version, Webhook
from server.db.session import count_rows, in_parts, rows_changed
from server.services.events import storable
from server.times import DAY_MS, lately

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy.orm import Session

INSERT_CHUNK: Final = 500
"""The number of notices that are written with one statement."""
KEPT: Final = 1_000
"""The number of notices that are kept of an account."""
MAX_CHARACTERS: Final = 1_000
"""The most characters of a notice."""
CONFIRM: Final = "confirm-email"
"""The only kind of notice that is mailed to an address that is not confirmed yet."""
ADDRESS: Final = "address"
"""The kind of notice that is mailed to the account's address at the time it was written."""
PASSWORD_LINK: Final = "password-link"
"""The kind of notice whose mail has the link to set a new password."""
COUNTED: Final = (CONFIRM, PASSWORD_LINK)
"""The kinds of notices that are counted to limit the mails of a day: those of the last day stay."""
_DELIVERY: Final = insert(Delivery)
_PAGES: Final = {"season": "seasons", "match": "matches", "comparison": "comparisons"}


def notify_account(
    session: Session, user_id: int, kind: str, subject: str, text: str, *, now: int
) -> Notice | None:
    """Puts a notice into the account's inbox, and queues its deliveries.

    It is delivered to every webhook, and by e-mail unless the account has muted the kind. `kind` is
    a key of matchbox.answers.notices.NOTICE_KINDS. `subject` is version:<id>, season:<id>,
    match:<id>, comparison:<id>, user:<id> or platform:<kind of finding>. Returns None for the
    house, which reads no notices.
    """
    made = notify_accounts(session, [(user_id, text)], kind, subject, now=now)
    return session.get_one(Notice, made[0]) if made else None


def notify_accounts(
    session: Session, told: Sequence[tuple[int, str]], kind: str, subject: str, *, now: int
) -> list[int]:
    """Puts a notice into each account's inbox, as `notify_account` does; returns their numbers.

    `told` has the accounts and the texts. Each INSERT_CHUNK notices take a few statements together,
    since other writers wait.
    """
    session.flush()
    made: list[int] = []
    for part in in_parts(told, INSERT_CHUNK):
        query = select(User).where(User.id.in_({user for user, _ in part}))
        query = query.where(User.role != Role.HOUSE, User.deleted_at.is_(None))
        users = {user.id: user for user in session.scalars(query)}
        same = {"kind": kind, "subject": subject, "at": now}
        rows = [
            {**same, "user_id": user, "text": storable(text, MAX_CHARACTERS)}
            for user, text in part
            if user in users
        ]
        if rows:
            written = insert(Notice).returning(Notice.id, Notice.user_id)
            notices = [(number, users[user]) for number, user in session.execute(written, rows)]
            _deliver(session, notices, kind, now)
            _trim_full(session, users, now)
            made += [number for number, _ in notices]
    return made


def _deliver(session: Session, notices: Sequence[tuple[int, User]], kind: str, now: int) -> None:
    """Queues the deliveries of notices of that kind to these accounts."""
    heard = (Webhook.user_id.in_({user.id for _, user in notices}), Webhook.disabled_at.is_(None))
    hooks: dict[int, list[int]] = {}
    webhooks = select(Webhook.user_id, Webhook.id).where(*heard).order_by(Webhook.id)
    for owner, webhook in session.execute(webhooks):
        hooks.setdefault(owner, []).append(webhook)
    rows: list[dict[str, object]] = []
    for number, user in notices:
        row = {"notice_id": number, "webhook_id": None, "address": None, "due_at": now}
        if kind == CONFIRM or (user.email is not None and kind not in user.muted):
            rows.append({**row, "address": user.email if kind == ADDRESS else None})
        rows += [{**row, "webhook_id": webhook} for webhook in hooks.get(user.id, ())]
    if rows:
        session.connection().execute(_DELIVERY, rows)  # The session would insert them one by one.


def _trim_full(session: Session, users: Collection[int], now: int) -> None:
    """Trims the inboxes of those of these accounts that have too many notices."""
    counts = select(Notice.user_id).where(Notice.user_id.in_(users)).group_by(Notice.user_id)
    for user_id in session.scalars(counts.having(func.count() > KEPT)).all():
        _trim(session, user_id, now)


def unread(session: Session, user_id: int) -> int:
    """Returns how many of the account's notices are unread."""
    waiting = (Notice.user_id == user_id, Notice.read_at.is_(None))
    return count_rows(session, Notice, *waiting)


def mark_read(session: Session, user: User, number: int, *, now: int) -> Notice:
    """Marks the account's notice as read, and returns it. Raises NotFound."""
    found = session.scalar(select(Notice).where(Notice.id == number, Notice.user_id == user.id))
    if found is None:
        raise NotFound(f"you have no notice {number}")
    if found.read_at is None:
        found.read_at = now
        session.flush()
    return found


def mark_all_read(session: Session, user: User, newest: int | None = None, *, now: int) -> int:
    """Marks all notices of the account, or those up to number `newest`, as read.

    Returns how many were unread.
    """
    waiting = [Notice.user_id == user.id, Notice.read_at.is_(None)]
    if newest is not None:
        waiting.append(Notice.id <= newest)
    return rows_changed(session, update(Notice).where(*waiting).values(read_at=now))


def paths_of(session: Session, subjects: Collection[str]) -> dict[str, str]:
    """Returns the path of the page about each subject, or of the inbox if there is none."""
    numbers = [one.partition(":")[2] for one in subjects if one.startswith("version:")]
    query = select(Version).where(Version.id.in_([int(number) for number in numbers]))
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    versions = {
        f"version:{one.id}": f"/bots/{one.bot.full_name}/versions/{one.number}"
        for one in (session.scalars(query.options(with_owner)) if numbers else ())
    }
    return {one: versions.get(one) or _path_of(one) for one in subjects}


def path_of(session: Session, subject: str) -> str:
    """Returns the path of the page about one subject, or of the inbox if there is none."""
    return paths_of(session, [subject])[subject]


def _path_of(subject: str) -> str:
    kind, _, number = subject.partition(":")
    if kind in _PAGES:
        return f"/{_PAGES[kind]}/{number}"
    return {"user": "/account", "platform": "/admin/health"}.get(kind, "/inbox")


def _trim(session: Session, user_id: int, now: int) -> None:
    """Deletes all but the account's newest notices and those that are counted, with their
    deliveries."""
    mine = select(Notice.id).where(Notice.user_id == user_id)
    last = session.scalar(mine.order_by(Notice.id.desc()).offset(KEPT).limit(1))
    if last is not None:
        counted = and_(Notice.kind.in_(COUNTED), lately(Notice.at, DAY_MS, now))
        old = mine.where(Notice.id <= last, not_(counted))
        session.execute(delete(Delivery).where(Delivery.notice_id.in_(old)))
        session.execute(delete(Notice).where(Notice.id.in_(old)))
