"""Accounts that log in by an OpenID Connect provider: who is which account here.

The caller passes identities that the provider has confirmed. An identity gives an author's
account and never a role: only operators make operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from matchbox.errors import Conflict, Forbidden, NotFound
from server.db.models import Identity, Role, User
from server.services import accounts, audit, classes, notices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.openid_client import Identity as Known

_TRIED: Final = 20
"""The greatest number that is tried at the end of a name that is taken."""


def find(session: Session, issuer: str, subject: str) -> Identity | None:
    """Returns the link of this identity to an account, or None."""
    same = (Identity.issuer == issuer, Identity.subject == subject)
    return session.scalar(select(Identity).where(*same))


def log_in(session: Session, known: Known, *, now: int) -> User | None:
    """Returns the account of this identity; None if it has none yet.

    Raises Forbidden if the account is closed.
    """
    found = find(session, known.issuer, known.subject)
    if found is None:
        return None
    found.used_at = now
    return accounts.require_open(session.get_one(User, found.user_id))


def check_may_sign_up(known: Known, settings: Settings) -> None:
    """Raises Forbidden, with the reason, if no account may be made for this identity."""
    label = settings.openid_label
    if settings.openid_signup != "open":
        raise Forbidden(
            f"nobody can make an account with {label} here; log in with your password to link it "
            "to your account, or ask an operator for one"
        )
    domains = [one.strip().lower() for one in settings.openid_domains.split(",") if one.strip()]
    if domains and known.domain not in domains:
        raise Forbidden(
            f"an account here needs a verified mail address of {' or '.join(domains)}, and {label} "
            "knows none of you; ask an operator for an account"
        )


def suggest_name(session: Session, known: Known) -> str:
    """Returns a free name that resembles the identity's own, or "" if none fits."""
    for name in known.names:
        spelled = classes.to_account_name(name)
        if spelled is None:
            continue
        for number in range(1, _TRIED + 1):
            tried = spelled if number == 1 else f"{spelled[:28]}-{number}"
            if not classes.name_refusal(session, tried):
                return tried
    return ""


def sign_up(session: Session, known: Known, name: str, *, settings: Settings, now: int) -> User:
    """Creates an author's account without a password for this identity.

    Raises BadName, Conflict if the name is taken or the identity has an account already, or
    Forbidden if no account may be made for it.
    """
    check_may_sign_up(known, settings)
    _check_unknown(session, known)
    user = accounts.add(session, name, None, Role.AUTHOR, now=now)
    _add(session, user, known, now=now)
    detail = {"name": user.name, "issuer": known.issuer}
    audit.note(session, user, "user.openid-signup", f"user:{user.id}", detail, now=now)
    return user


def link(session: Session, user: User, known: Known, *, label: str, now: int) -> None:
    """Links the identity to the account, whose password was just checked.

    Raises Conflict if it belongs to an account already.
    """
    _check_unknown(session, known)
    _add(session, user, known, now=now)
    text = f"{label} was linked to your account: you can log in with it from now on."
    notices.notify_account(session, user.id, "password", f"user:{user.id}", text, now=now)
    detail = {"issuer": known.issuer}
    audit.note(session, user, "user.openid-link", f"user:{user.id}", detail, now=now)


def unlink(session: Session, user: User, number: int, *, issuer: str, label: str, now: int) -> None:
    """Removes one of the account's links; `issuer` is the present provider's.

    Raises NotFound, or Conflict if nobody could log in to the account any more.
    """
    found = session.get(Identity, number)
    if found is None or found.user_id != user.id:
        raise NotFound(f"{user.name} has no such link")
    others = (one for one in identities(session, user) if one is not found)
    if user.password is None and all(one.issuer != issuer for one in others):
        raise Conflict("set a password first: without one, nobody could log in to your account")
    session.delete(found)
    text = f"{label} was unlinked from your account: it logs nobody in any more."
    notices.notify_account(session, user.id, "password", f"user:{user.id}", text, now=now)
    detail = {"issuer": found.issuer}
    audit.note(session, user, "user.openid-unlink", f"user:{user.id}", detail, now=now)


def identities(session: Session, user: User) -> Sequence[Identity]:
    """Returns the identities by which somebody logs in to the account, the oldest link first."""
    mine = select(Identity).where(Identity.user_id == user.id)
    return session.scalars(mine.order_by(Identity.id)).all()


def _check_unknown(session: Session, known: Known) -> None:
    if find(session, known.issuer, known.subject) is not None:
        raise Conflict("this identity belongs to an account already; log in with it")


def _add(session: Session, user: User, known: Known, *, now: int) -> None:
    session.add(
        Identity(
            issuer=known.issuer, subject=known.subject, user_id=user.id, created_at=now, used_at=now
        )
    )
    session.flush()
