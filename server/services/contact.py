"""Sets, confirms and clears the address to which an account's notices are mailed.

A new address is confirmed with a link that is mailed to it. Until the link is used, nothing else is
mailed there. The link's secret is derived from the account and the address, and never stored.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, func, not_, select

from matchbox.answers.notices import MAY_BE_MUTED
from matchbox.errors import BadName, BadOption, Conflict, Forbidden, TooMany, quoted
from matchbox.settings_of_service import MAIL_ADDRESS
from server.db.models import Delivery, Notice, User
from server.services import audit, notices
from server.services.passwords import digest_of
from server.times import DAY_MS, has_passed, lately, minute_after, seconds_until

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

VALID_MS: Final = DAY_MS
"""How long a link is valid, and the time over which links are counted."""
MAX_ADDRESS: Final = 254
LINKS: Final = 5
"""The most links that an account may have sent in a day."""
ACCOUNTS: Final = 3
"""The most accounts that may have a link sent to the same address in a day."""
MAX_PER_TRANSACTION: Final = 500
"""The most notices that one transaction of `trim` deletes, since other writers wait for it."""
INVITATION: Final = (
    "To get notices of your bots by mail, confirm your address: open the link below, and press "
    "the button. If you did not ask for this, do nothing: no more mails will come."
)


def request_confirmation(
    session: Session, user: User, address: str, *, settings: Settings, now: int
) -> None:
    """Mails a link to the address. The account's confirmed address stays until the link is used.

    Raises Forbidden if this platform sends no mail, BadName if the address is not valid, Conflict
    if it is confirmed already, or TooMany if too many links were sent today.
    """
    if not settings.smtp_host:
        raise Forbidden("this platform sends no mail; ask its operator to set up a mail server")
    if len(address) > MAX_ADDRESS or not MAIL_ADDRESS.fullmatch(address):
        raise BadName("that is not a plain e-mail address; give one such as alice@example.org").of(
            "email"
        )
    if address == user.email:
        raise Conflict(f"notices are sent to {address} already").of("email")
    _check_rate(session, user, address, now)
    user.email_asked, user.email_asked_at = address, now
    _forget(session, user, Notice.kind == notices.CONFIRM)
    text = _confirmation_text(address)
    notices.notify_account(session, user.id, notices.CONFIRM, f"user:{user.id}", text, now=now)


def confirm(session: Session, user: User, secret: str, *, settings: Settings, now: int) -> str:
    """Confirms the account's address, and returns it; the former one is notified.

    Raises Forbidden if the link is not valid.
    """
    if not is_open(user, secret, settings=settings, now=now):
        raise Forbidden(
            "this link was used or replaced, is older than a day, or belongs to another account; "
            "ask for a new one on your account's page"
        )
    address = user.email_asked
    assert address is not None
    _notify_of_change(session, user, "changed" if user.email is not None else "set", now)
    user.email, user.email_changed_at = address, now
    user.email_asked = user.email_asked_at = user.reset_asked_at = None
    session.flush()
    return address


def clear(session: Session, user: User, *, now: int) -> None:
    """Removes the account's address, and the mails that wait to be sent to it.

    The address is notified.
    """
    if user.email is not None:
        _notify_of_change(session, user, "removed", now)
    user.email = user.email_asked = user.email_asked_at = user.reset_asked_at = None
    _forget(session, user)


def mute(session: Session, user: User, kinds: Collection[str]) -> None:
    """Sets the kinds of notices that are not mailed to the account. The inbox still gets all
    notices.

    Raises BadOption for an unknown kind.
    """
    unknown = sorted(set(kinds) - set(MAY_BE_MUTED))
    if unknown:
        kinds = ", ".join(MAY_BE_MUTED)
        raise BadOption(f"no notice is of kind {quoted(unknown[0])}; there are {kinds}")
    user.muted = [kind for kind in MAY_BE_MUTED if kind in kinds]
    _forget(session, user, Notice.kind.in_(user.muted))


def hide_addresses(session: Session, user: User, *, now: int) -> ColumnElement[bool]:
    """Replaces the addresses in the account's links of the last day by digests; returns the
    condition for these notices.

    They outlive a deleted account until `trim`, or each new account would make room for more links.
    """
    today = lately(Notice.at, VALID_MS, now)
    links = and_(Notice.user_id == user.id, Notice.kind == notices.CONFIRM, today)
    for notice in session.scalars(select(Notice).where(links)):
        notice.text = digest_of(notice.text.lower())
    session.flush()
    return links


def old_links(session: Session, *, now: int) -> Sequence[int]:
    """Returns the notices of links that deleted accounts got and that are no longer counted, at
    most MAX_PER_TRANSACTION, for `trim`. It reads all notices: a reader should call it."""
    found = select(Notice.id).where(*_is_old_link(now)).limit(MAX_PER_TRANSACTION)
    return session.scalars(found).all()


def trim(session: Session, links: Sequence[int], *, now: int) -> None:
    """Deletes those of these notices that still do not count."""
    session.execute(delete(Notice).where(Notice.id.in_(links), *_is_old_link(now)))


def _is_old_link(now: int) -> tuple[ColumnElement[bool], ...]:
    deleted = select(User.id).where(User.deleted_at.is_not(None))
    old = (Notice.user_id.in_(deleted), not_(lately(Notice.at, VALID_MS, now)))
    return Notice.kind == notices.CONFIRM, *old


def is_open(user: User, secret: str, *, settings: Settings, now: int) -> bool:
    """True if this is the secret of the last link sent to the account, and the link is valid."""
    if user.email_asked is None or user.email_asked_at is None:
        return False
    if has_passed(VALID_MS + 1, user.email_asked_at, now):
        return False
    return hmac.compare_digest(_secret(user, settings).encode(), secret.encode())


def path_of(user: User, settings: Settings) -> str:
    """Returns the path of the page that the mailed link opens."""
    return f"/account/email/{_secret(user, settings)}"


def _secret(user: User, settings: Settings) -> str:
    text = f"email:{user.id}:{user.email_asked_at}:{user.email_asked}".encode()
    return hmac.new(settings.secret_key.encode(), text, sha256).hexdigest()


def _confirmation_text(address: str) -> str:
    """The text of the notice that a link was sent to the address."""
    return f"A link was sent to {address}. Notices are mailed there once you have opened it."


def _check_rate(session: Session, user: User, address: str, now: int) -> None:
    today = lately(Notice.at, VALID_MS, now)
    mine = (Notice.user_id == user.id, Notice.kind == notices.CONFIRM, today)
    sent = session.scalars(select(Notice.at).where(*mine).order_by(Notice.at)).all()
    # The accounts may have asked for another address since, or cleared it, so the notices count.
    text = _confirmation_text(address).lower()
    same = func.lower(Notice.text).in_((text, digest_of(text)))  # see `hide_addresses`
    others = (Notice.kind == notices.CONFIRM, today, same, Notice.user_id != user.id)
    last = select(func.max(Notice.at).label("at")).where(*others).group_by(Notice.user_id)
    asked = session.scalars(last.order_by("at")).all()
    limits = ((sent, LINKS), (asked, ACCOUNTS))
    if full := [times[-most] for times, most in limits if len(times) >= most]:
        opens = VALID_MS + max(full)
        raise TooMany(
            f"too many links were sent within a day; try again at {minute_after(opens)}",
            seconds_until(opens, now),
        )


def _notify_of_change(session: Session, user: User, what: str, now: int) -> None:
    """Writes a notice that the address was set, changed or removed. Call it while the account still
    has its former address."""
    text = (
        f"The e-mail address of your account was {what}. If it was not you, change your password "
        "and end all other sessions, or ask an operator at once."
    )
    notices.notify_account(session, user.id, notices.ADDRESS, f"user:{user.id}", text, now=now)
    audit.note(session, user, "user.email", f"user:{user.id}", {"was": what}, now=now)


def _forget(session: Session, user: User, *which: ColumnElement[bool]) -> None:
    """Deletes the waiting mails for those notices of the account that `which` selects.

    Those to a former address stay.
    """
    waiting = select(Notice.id).where(Notice.user_id == user.id, *which)
    mails = (Delivery.webhook_id.is_(None), Delivery.address.is_(None))
    session.execute(delete(Delivery).where(*mails, Delivery.notice_id.in_(waiting)))
    session.flush()
