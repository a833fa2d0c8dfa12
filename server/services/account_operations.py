"""The actions of operators on accounts: new passwords, another role, closing and reopening.

Each is written to the audit log. The last operator cannot be demoted or closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from matchbox.errors import BadName, Conflict, NotFound, quoted
from server.db.models import Bot, Match, MatchSeat, Role, Token, User, Version, VoidCause
from server.db.session import count_rows
from server.services import (
    accounts,
    audit,
    classes,
    comparisons,
    exclusions,
    fields,
    notices,
    password_links,
    passwords,
    play,
    sessions,
)
from server.services.accounts import require_operator
from server.services.entries import leave_early_seasons
from server.services.voids import reason_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.answers.accounts import PasswordLink
    from matchbox.settings import Settings
    from server.services.accounts import Acting

ROLES: Final = (Role.AUTHOR, Role.OPERATOR)


def reset_password(
    actor: User | None, acting: Acting[User | None], name: str, *, revoke: bool = False
) -> str:
    """Gives the account a random password, ends its sessions, and returns the password.

    With `revoke`, also revokes its API tokens. Hashes the password, which is slow, before it opens
    a transaction with `acting`. `actor` is None for somebody at the machine itself. Raises the
    errors of `acting`, Forbidden or NotFound.
    """
    if actor is not None:
        require_operator(actor)
    fresh = passwords.readable()
    hashed = passwords.hash_readable(fresh)
    with acting() as (session, actor, now):
        user = account_of(session, actor, name)
        user.password, user.reset_asked_at = hashed, None
        sessions.end_all(session, user)
        if revoke:
            accounts.revoke_tokens(session, user, now=now)
        text = "An operator gave your account a new password, and ended its sessions."
        notices.notify_account(session, user.id, "password", f"user:{user.id}", text, now=now)
        _note(session, actor, "user.reset", user, {"tokens": revoke}, now)
    return fresh


def make_password_link(
    session: Session, actor: User | None, name: str, *, settings: Settings, now: int
) -> PasswordLink:
    """Makes a link with which the account's owner chooses a new password, once, within an hour.

    The password and the sessions stay until it is used. `actor` is None for somebody at the machine
    itself. Raises Forbidden, NotFound, or Conflict if the account is closed.
    """
    user = account_of(session, actor, name)
    if user.closed_at is not None:
        raise Conflict(f"the account {name} is closed; reopen it first")
    made = password_links.make_link(session, user, settings=settings, now=now)
    text = (
        "An operator made a link that sets a new password for your account. It works once, and for "
        "an hour; your password stays until then. If you asked for no such link, ask an operator."
    )
    notices.notify_account(session, user.id, "password", f"user:{user.id}", text, now=now)
    _note(session, actor, "user.password-link", user, {"by": "operator"}, now)
    return made


def set_role(session: Session, actor: User | None, name: str, role: str, *, now: int) -> User:
    """Makes the account an author's or an operator's, and notifies it; a former operator's tokens
    are revoked.

    Raises Forbidden, NotFound, BadName for an unknown role, or Conflict for the last operator.
    """
    user = account_of(session, actor, name)
    if role not in ROLES:
        why = f"there is no role {quoted(role)}; the roles are author and operator"
        raise BadName(why).of("role")
    if user.role == role:
        return user
    if role != Role.OPERATOR:
        require_another_operator(session, user)
        accounts.revoke_tokens(session, user, now=now)
    user.role = Role(role)
    session.flush()
    text = "Your account is an operator's now."
    if role != Role.OPERATOR:
        text = "Your account is an author's now. Its API tokens were revoked."
    notices.notify_account(session, user.id, "role", f"user:{user.id}", text, now=now)
    _note(session, actor, "user.role", user, {"role": role}, now)
    return user


def set_note(session: Session, actor: User | None, name: str, note: str, *, now: int) -> User:
    """Puts a note on the account, such as a pupil's real name; an empty text deletes the note.

    The audit log leaves out the text of the note, since its lines are never deleted. Raises
    Forbidden, NotFound, or BadOption if the note is too long.
    """
    user = account_of(session, actor, name)
    user.note = accounts.checked_note(note)
    session.flush()
    _note(session, actor, "user.note", user, {}, now)
    return user


def close(session: Session, actor: User | None, name: str, reason: str, *, now: int) -> User:
    """Closes the account: nobody can log in to it, and nothing is sent to it.

    Its sessions, tokens and comparisons end, and its bots leave the ranked queue and the seasons
    that are not frozen yet. They play on in the others. Its matches stay. Raises Forbidden,
    NotFound, BadOption as `reason_of` does, or Conflict if it is closed already or is the last
    operator's.
    """
    user = account_of(session, actor, name)
    reason = reason_of(reason)
    if user.closed_at is not None:
        raise Conflict(f"the account {name} is closed already")
    require_another_operator(session, user)
    user.closed_at = now
    sessions.end_all(session, user)
    accounts.revoke_tokens(session, user, now=now)
    fields.change_of(session, user)
    left = leave_everything(session, user, now=now)
    detail = {"reason": reason, **left}
    _note(session, actor, "user.close", user, detail, now)
    return user


def reopen(session: Session, actor: User | None, name: str, *, now: int) -> User:
    """Reopens a closed account with its password and its bots; its tokens stay revoked.

    Its bots enter the open seasons of its classes, which they left when it was closed. Raises
    Forbidden, NotFound, or Conflict if it is open.
    """
    user = account_of(session, actor, name)
    if user.closed_at is None:
        raise Conflict(f"the account {name} is not closed")
    user.closed_at = None
    fields.change_of(session, user)
    for league in classes.leagues_of(session, user):
        classes.enter_members(session, league, user=user.id, now=now)
    _note(session, actor, "user.reopen", user, {}, now)
    return user


def hand_over_data(session: Session, actor: User | None, name: str, *, now: int) -> User:
    """Returns the account whose data an operator copies for its owner; the log keeps it.

    Raises Forbidden or NotFound.
    """
    user = account_of(session, actor, name)
    _note(session, actor, "user.export", user, {}, now)
    return user


def end_session(session: Session, actor: User, name: str, number: int, *, now: int) -> None:
    """Logs one of the account's browsers out. Raises Forbidden or NotFound."""
    user = account_of(session, actor, name)
    sessions.end(session, user, number)
    _note(session, actor, "user.session", user, {"ended": number}, now)


def revoke_token(session: Session, actor: User, name: str, number: int, *, now: int) -> None:
    """Revokes one of the account's tokens. Raises Forbidden or NotFound."""
    user = account_of(session, actor, name)
    accounts.revoke_token(session, user, number, now=now)
    token = session.get_one(Token, number)
    _note(session, actor, "user.token", user, {"revoked": token.name or number}, now)


def require_another_operator(session: Session, user: User) -> None:
    """Raises Conflict if nobody but this account could operate the platform."""
    others = (User.role == Role.OPERATOR, User.closed_at.is_(None), User.id != user.id)
    if user.role == Role.OPERATOR and not count_rows(session, User, *others):
        raise Conflict(f"{user.name} is the last operator; make another account an operator first")


def closed_why(name: str) -> str:
    """Returns why matches of the account with this name are void once it is closed."""
    return f"the account {name} was closed"


def leave_everything(session: Session, user: User, *, now: int) -> dict[str, int]:
    """Ends the account's comparisons and its open tables; takes its bots out of the queue and of
    seasons that are not frozen yet.

    Returns how many matches became void, and how many entries ended.
    """
    own = select(Version.id).join(Version.bot).where(Bot.owner_id == user.id)
    seated = Match.id.in_(select(MatchSeat.match_id).where(MatchSeat.version_id.in_(own)))
    comparisons.cancel_all(session, user, now=now)
    play.leave_all(session, user, now=now)
    why = closed_why(user.name)
    void = exclusions.make_void(session, VoidCause.CLOSED, why, Match.is_ranked, seated, now=now)
    ended = leave_early_seasons(session, Bot.owner_id == user.id, now=now)
    return {"void": void, "entries": ended}


def account_of(session: Session, actor: User | None, name: str) -> User:
    """Returns the account of that name, for an operator. Raises Forbidden or NotFound."""
    if actor is not None:
        require_operator(actor)
    theirs = (User.role.in_(ROLES), User.deleted_at.is_(None))
    user = session.scalar(select(User).where(User.name == name, *theirs))
    if user is None:
        raise NotFound(f"there is no account {quoted(name)}")
    return user


def _note(
    session: Session,
    actor: User | None,
    action: audit.Action,
    user: User,
    detail: dict[str, object],
    now: int,
) -> None:
    audit.note(session, actor, action, f"user:{user.id}", detail, now=now)
