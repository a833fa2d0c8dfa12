"""Links to set a new password, each valid once, and for an hour.

One is mailed to a confirmed address, or an operator makes it and hands it on. Its secret is derived
from the account, the time and the hash of the old password, and never stored. So any new password
ends the link, also one whose mail still waits: the account forgets the time.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from matchbox.answers.accounts import PasswordLink
from matchbox.errors import BadName, Conflict, Forbidden
from matchbox.settings_of_service import MAIL_ADDRESS
from server.db.models import Notice, User
from server.db.session import compare_and_set, count_rows
from server.services import accounts, audit, notices, passwords, sessions
from server.times import DAY_MS, HOUR_MS, MINUTE_MS, has_passed, iso, lately

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.context import Context

VALID_MS: Final = HOUR_MS
"""How long a link is valid."""
APART_MS: Final = 10 * MINUTE_MS
"""The least time between two links."""
LINKS: Final = 5
"""The most links that an account is sent in a day."""
INVITATION: Final = (
    "Somebody asked for a new password for this account: open the link below, and choose one. It "
    "works once, and for an hour. If it was not you, do nothing: your password stays."
)


def request_links(session: Session, address: str, *, settings: Settings, now: int) -> None:
    """Mails a link to the address, for each account that has confirmed it.

    Mails no link within ten minutes of the last one, which would become useless; none within a day
    of a change of the address; and none for an account without a password.

    Does not say whether such an account exists. Raises Forbidden if this platform sends no mail, or
    BadName if the address is not valid.
    """
    if not settings.smtp_host:
        raise Forbidden(
            "this platform sends no mail; ask an operator for a new password"
        ).to_everybody()
    if not MAIL_ADDRESS.fullmatch(address):
        raise BadName("that is not a plain e-mail address; give one such as alice@example.org").of(
            "email"
        )
    same = (func.lower(User.email) == address.lower(), User.closed_at.is_(None))
    for user in session.scalars(select(User).where(*same).order_by(User.id)).all():
        if not _may_have_one(session, user, now):
            continue
        user.reset_asked_at = now
        text = "A link to set a new password was mailed to you, because somebody asked for it."
        subject = f"user:{user.id}"
        notices.notify_account(session, user.id, notices.PASSWORD_LINK, subject, text, now=now)
        audit.note(session, None, "user.password-link", subject, now=now)


def make_link(session: Session, user: User, *, settings: Settings, now: int) -> PasswordLink:
    """Makes a link for somebody to hand on; it replaces the account's last one."""
    user.reset_asked_at = now
    session.flush()
    link = settings.server_url.rstrip("/") + path_of(user, settings)
    return PasswordLink(name=user.name, link=link, ends_at=iso(now + VALID_MS))


def is_open(user: User | None, secret: str, *, settings: Settings, now: int) -> bool:
    """True if this is the secret of the last link that was made for the account, and is valid."""
    if user is None or user.closed_at is not None or user.reset_asked_at is None:
        return False
    if has_passed(VALID_MS + 1, user.reset_asked_at, now):
        return False
    return hmac.compare_digest(_secret(user, settings).encode(), secret.encode())


def set_password(
    context: Context,
    number: int,
    secret: str,
    password: str,
    *,
    revoke: bool = False,
    then: Callable[[Session, User], None] | None = None,
) -> User:
    """Gives the account with that row number a new password, and ends its sessions.

    With `revoke`, also revokes its API tokens. Calls `then` in the same transaction, such as to log
    in. Returns the account. Raises Forbidden if the link is not valid, BadName if the password is
    easy to guess, or Conflict if the account changes meanwhile.
    """
    with context.read() as session:
        user = session.get(User, number)
    if user is None or not is_open(user, secret, settings=context.settings, now=context.now()):
        raise Forbidden(
            "this link was used or replaced, is older than an hour, or is of a closed account; ask "
            "for a new one, or ask an operator"
        ).to_everybody()
    hashed = passwords.hash_password(password, user.name)  # slow: before the write turn begins
    with context.write() as session:
        now = context.now()
        values = {"password": hashed, "reset_asked_at": None}
        known = (User.password == user.password, User.reset_asked_at == user.reset_asked_at)
        if not compare_and_set(session, user, values, *known, User.closed_at.is_(None)):
            raise Conflict("the account has just changed; ask for a new link")
        sessions.end_all(session, user)
        if revoke:
            accounts.revoke_tokens(session, user, now=now)
        detail = {"by": "link", "tokens": revoke}
        text = "A new password was set for your account with a one-time link."
        notices.notify_account(session, user.id, "password", f"user:{user.id}", text, now=now)
        audit.note(session, user, "user.password", f"user:{user.id}", detail, now=now)
        user = session.get_one(User, user.id, populate_existing=True)
        if then is not None:
            then(session, user)
        return user


def path_of(user: User, settings: Settings) -> str:
    """Returns the path of the page that the last link opens."""
    return f"/reset/{user.id}/{_secret(user, settings)}"


def _secret(user: User, settings: Settings) -> str:
    text = f"reset:{user.id}:{user.reset_asked_at}:{user.password}".encode()
    return hmac.new(settings.secret_key.encode(), text, sha256).hexdigest()


def _may_have_one(session: Session, user: User, now: int) -> bool:
    if user.password is None or not has_passed(APART_MS, user.reset_asked_at or 0, now):
        return False
    if not has_passed(DAY_MS, user.email_changed_at or 0, now):
        return False
    mine = (Notice.user_id == user.id, Notice.kind == notices.PASSWORD_LINK)
    return count_rows(session, Notice, *mine, lately(Notice.at, DAY_MS, now)) < LINKS
