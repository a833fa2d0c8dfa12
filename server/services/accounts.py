"""Accounts, their passwords and their API tokens. Knows nothing of the web."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, TypeVar

from sqlalchemy import delete, or_, select, update

from matchbox.bundle import check_name
from matchbox.errors import BadName, BadOption, Conflict, Forbidden, NotFound, quoted
from server.db.models import NOTE, FormerName, Role, Scope, Token, User
from server.db.session import rows_changed
from server.services import audit, notices, passwords, sessions
from server.services.events import storable
from server.services.hourly_limits import check_hour
from server.services.passwords import digest_of
from server.times import DAY_MS, HOUR_MS, MINUTE_MS, lately

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

HOUSE: Final = "house"
RESERVED: Final = frozenset({HOUSE, "admin", "api", "system", "matchbox"})
DELETED: Final = "deleted-author-"
"""The name of a deleted account begins with this, and ends with the number of its row."""
TOKENS: Final = 50
"""The most unexpired API tokens that an account may have. It may make twice as many in an hour."""
TOKEN_DAYS: Final = 365
"""How many days a token is valid by default."""
MAX_TOKEN_DAYS: Final = 3650
ENDED_DAYS: Final = 30
"""How many days a token that was revoked or has expired is still listed."""
NOTED_MS: Final = MINUTE_MS
"""The least time between two updates of a token's last use, in ms."""
Actor = TypeVar("Actor", bound="User | None")
Acting: TypeAlias = "Callable[[], AbstractContextManager[tuple[Session, Actor, int]]]"
"""Opens a write transaction for an action that takes long, as `server.auth.acting` does.

It yields the session, the account that acts, read again, and the time. An action that did slow work
before it, or that opens it several times, must check the account's right each time.
"""
_API: Final = "api"
_FIRST: Final = "first-operator"
_OPEN_LINK: Final = (Token.purpose == _FIRST, Token.used_at.is_(None), Token.revoked_at.is_(None))
"""The conditions for a link for the first operator that was neither used nor replaced."""
_USED: Final = "this link has been used, or replaced by a newer one; see the log"


def sign_up(session: Session, name: str, password: str, *, signup: str, now: int) -> User:
    """Creates an author's account.

    `signup` is the setting of that name: unless it is "open", nobody gets an account this way.
    Raises BadName, Conflict if the name is taken, or Forbidden if sign-up is not open.
    """
    if signup != "open":
        raise Forbidden("sign-up is closed here; ask an operator for an account").to_everybody()
    return _add(session, name, password, Role.AUTHOR, now)


def create_user(
    actor: User | None, acting: Acting[User | None], name: str, password: str, role: str
) -> User:
    """Creates an account for somebody else; `role` is author or operator.

    Hashes the password, which is slow, before it opens a transaction with `acting`. `actor` is None
    at the machine itself. Raises the errors of `acting`, Forbidden, BadName, or Conflict.
    """
    if actor is not None:
        require_operator(actor)
    if role not in (Role.AUTHOR, Role.OPERATOR):
        raise BadName(f"there is no role {quoted(role)}; choose author or operator").of("role")
    hashed = passwords.hash_password(password, name)
    with acting() as (session, actor, now):
        if actor is not None:
            require_operator(actor)
        made = add(session, name, hashed, Role(role), now=now)
        detail = {"name": made.name, "role": role}
        audit.note(session, actor, "user.create", f"user:{made.id}", detail, now=now)
    return made


def log_in(session: Session, name: str, password: str) -> User:
    """Returns the account with that name and password, and closes the reader's session.

    Raises Forbidden. The message is the same for a wrong name and for a wrong password; if both are
    right but the account is closed, it says so.
    """
    user = session.scalar(select(User).where(User.name == name))
    session.close()  # Hashing is slow, and others need the connection.
    fits = passwords.is_password_of(user.password if user is not None else None, password)
    if user is None or not fits:
        raise Forbidden("the name or the password is wrong").of("name")
    return require_open(user)


def require_open(user: User) -> User:
    """Returns the account. Raises Forbidden if an operator has closed it."""
    if user.closed_at is not None:
        raise Forbidden("this account is closed; ask an operator of this platform why")
    return user


def check_password(user: User, password: str) -> None:
    """Raises Forbidden if this is not the account's password."""
    if not passwords.is_password_of(user.password, password):
        raise Forbidden("the password is wrong").of("password", "old")


def change_password(
    session: Session, user: User, old: str, new: str, *, now: int, revoke: bool = False
) -> User:
    """Changes the account's password, ends its sessions, and returns the account.

    An account without a password gets its first one; the caller must have confirmed the request.
    With `revoke`, also revokes its API tokens. Raises Forbidden if the old password is wrong,
    BadName if the new one is the old one or easy to guess, or Conflict if it has just changed.
    """
    known = user.password
    if known is not None:
        check_password(user, old)
        if new == old:
            raise BadName("the new password is the old one; choose another").of("new")
    hashed = passwords.hash_password(new, user.name)  # slow: done before the write turn begins
    which = (User.id == user.id, User.password == known, User.closed_at.is_(None))
    renewed = update(User).where(*which).values(password=hashed, reset_asked_at=None)
    if rows_changed(session, renewed) != 1:
        raise Conflict("the account has just been changed; log in again")
    sessions.end_all(session, user)
    if revoke:
        revoke_tokens(session, user, now=now)
    what = "set" if known is None else "changed"
    text = f"Your password was {what}. If it was not you, ask an operator for a new one at once."
    notices.notify_account(session, user.id, "password", f"user:{user.id}", text, now=now)
    audit.note(session, user, "user.password", f"user:{user.id}", {"tokens": revoke}, now=now)
    return session.get_one(User, user.id, populate_existing=True)


def same_password(session: Session, user: User) -> User:
    """Reads the account anew. Raises Forbidden if its password has changed since it was checked."""
    found = session.get(User, user.id)
    if found is None or found.password != user.password:
        raise Forbidden("the name or the password is wrong").of("name")
    return require_open(found)


def first_operator_link(session: Session, *, now: int) -> str | None:
    """Returns the secret of a new one-time link for the first operator.

    Revokes earlier links. Returns None once there is an operator.
    """
    if _has_operator(session):
        return None
    session.execute(update(Token).where(*_OPEN_LINK).values(revoked_at=now))
    return _give(session, None, _FIRST, "", now)


def is_open_link(session: Session, secret: str) -> bool:
    """True if there is no operator yet, and this one-time link was neither used nor replaced."""
    found = session.scalar(select(Token.id).where(Token.digest == digest_of(secret), *_OPEN_LINK))
    return found is not None and not _has_operator(session)


def check_link(session: Session, secret: str) -> None:
    """Raises Forbidden unless this one-time link works. Call it before a password is hashed."""
    if not is_open_link(session, secret):
        raise Forbidden(_USED).to_everybody()


def claim_operator(session: Session, secret: str, name: str, password: str, *, now: int) -> User:
    """Creates the first operator's account with the secret of a one-time link.

    Raises Forbidden if the link no longer works, BadName, or Conflict if the name is taken.
    """
    user = _add(session, name, password, Role.OPERATOR, now)
    link = update(Token).where(Token.digest == digest_of(secret), *_OPEN_LINK)
    taken = rows_changed(session, link.values(used_at=now, user_id=user.id))
    if taken != 1 or _has_operator(session, but=user):
        raise Forbidden(_USED).to_everybody()
    audit.note(session, user, "user.claim", f"user:{user.id}", {"name": name}, now=now)
    return user


def make_token(
    session: Session,
    user: User,
    name: str,
    *,
    now: int,
    scopes: Collection[str] | None = None,
    days: int = TOKEN_DAYS,
    by: Token | None = None,
) -> str:
    """Creates an API token of that account; returns its secret, which is not stored.

    The token gets `scopes`, by default all that the account has; of another token (`by`) none that
    it lacks, and no later end. Raises BadName, BadOption, Forbidden (scopes), Conflict or TooMany.
    """
    name = name.strip()
    if not 1 <= len(name) <= 64 or not name.isprintable():
        raise BadName("a token's name has 1 to 64 printable characters").of("name")
    if not 1 <= days <= MAX_TOKEN_DAYS:
        raise BadOption(f"a token lasts 1 to {MAX_TOKEN_DAYS} days").of("days")
    if len(tokens(session, user, since=now)) >= TOKENS:
        raise Conflict(f"you have {TOKENS} tokens; revoke one that you no longer use")
    recent = (Token.user_id == user.id, lately(Token.created_at, HOUR_MS, now))
    made = select(Token.created_at).where(*recent).order_by(Token.created_at.desc())
    check_hour(session, made, 2 * TOKENS, f"made {2 * TOKENS} tokens", now=now)
    ended = or_(*(at <= listed_since(now) for at in (Token.revoked_at, Token.ends_at)))
    session.execute(delete(Token).where(Token.user_id == user.id, Token.purpose == _API, ended))
    ends_at = now + days * DAY_MS
    if by is not None and by.ends_at is not None:
        ends_at = min(ends_at, by.ends_at)
    return _give(session, user, _API, name, now, scopes=_scopes(user, scopes, by), ends_at=ends_at)


def tokens(
    session: Session, user: User, *, since: int | None = None, revoked: bool = False
) -> Sequence[Token]:
    """Returns the account's unrevoked API tokens, oldest first.

    Leaves out those that expired before the time `since`; with `revoked`, adds those that were
    revoked after it.
    """
    kept: list[ColumnElement[bool]] = [Token.user_id == user.id, Token.purpose == _API]
    if since is not None:
        kept.append(or_(Token.ends_at.is_(None), Token.ends_at > since))
    newly = [Token.revoked_at > since] if revoked and since is not None else []
    kept.append(or_(Token.revoked_at.is_(None), *newly))
    return session.scalars(select(Token).where(*kept).order_by(Token.id)).all()


def listed_since(now: int) -> int:
    """Returns the time since which tokens that have ended are still listed."""
    return now - ENDED_DAYS * DAY_MS


def token_of(session: Session, secret: str, *, now: int) -> Token:
    """Returns the API token with this secret.

    Raises Forbidden if it is unknown, revoked or expired, or if its account is closed.
    """
    working = working_tokens()
    token = session.scalar(select(Token).where(Token.digest == digest_of(secret), *working))
    if token is None or token.user is None:
        raise Forbidden("this token is unknown or revoked; make a new one on your account's page")
    if token.ends_at is not None and token.ends_at <= now:
        raise Forbidden("this token has expired; make a new one on your account's page")
    require_open(token.user)
    return token


def note_use(session: Session, token: int, *, now: int) -> None:
    """Updates when an API token was last used, at most once in NOTED_MS."""
    stale = or_(Token.used_at.is_(None), Token.used_at <= now - NOTED_MS)
    session.execute(update(Token).where(Token.id == token, stale).values(used_at=now))


def revoke_token(session: Session, user: User, number: int, *, now: int) -> None:
    """Revokes one of the account's tokens. Raises NotFound if there is no such working token."""
    mine = (Token.id == number, *_working(user))
    if rows_changed(session, update(Token).where(*mine).values(revoked_at=now)) != 1:
        raise NotFound(f"{user.name} has no working token {number}")


def revoke_tokens(session: Session, user: User, *, now: int) -> None:
    """Revokes every API token of the account."""
    session.execute(update(Token).where(*_working(user)).values(revoked_at=now))


def share(user: User, *, shares: bool) -> None:
    """Sets whether exported seasons include the files and memories of the account's bots."""
    user.shares = shares


def house(session: Session, *, now: int) -> User:
    """Returns the account that owns the shipped bots, and creates it on the first call."""
    found = session.scalar(select(User).where(User.role == Role.HOUSE))
    if found is None:
        found = User(name=HOUSE, password=None, role=Role.HOUSE, created_at=now)
        session.add(found)
        session.flush()
    return found


def require_operator(actor: User) -> None:
    """Raises Forbidden unless the account is an operator's."""
    if not actor.operator:
        _refuse(actor, "only an operator may do this")


def require_operator_to_see(viewer: User | None) -> User:
    """Returns the viewer, an operator. Raises Forbidden for others."""
    if viewer is None or not viewer.operator:
        raise Forbidden("only operators may see this")
    return viewer


def require_owner(actor: User, owner_id: int) -> None:
    """Raises Forbidden unless the actor is this owner or an operator."""
    if actor.id != owner_id and not actor.operator:
        _refuse(actor, "this belongs to somebody else")


def _refuse(actor: User, why: str) -> NoReturn:
    if actor.role == Role.OPERATOR:
        raise Forbidden("this needs a token with the scope `operate`")
    raise Forbidden(why)


def checked_note(text: str) -> str:
    """Returns a note on an account as it is stored. Raises BadOption if it is too long."""
    note = " ".join(text.split())
    if len(note) > NOTE:
        raise BadOption(
            f"the note {note[:20]!r}... has more than {NOTE} characters; shorten it"
        ).of("note")
    return storable(note, NOTE)


def check_free(session: Session, name: str) -> None:
    """Raises BadName if an account cannot have this name, or Conflict if the name is taken."""
    taken = select(User.id).where(User.name == name)
    former = session.get(FormerName, digest_of(name)) is not None
    if check_name(name).startswith(DELETED):
        raise BadName(
            f"names that begin with {DELETED!r} are kept for accounts that were deleted; choose "
            "another"
        ).of("name")
    if name in RESERVED or former or session.scalar(taken) is not None:
        raise Conflict(f"the name {name!r} is taken; choose another").of("name")


def add(session: Session, name: str, hashed: str | None, role: Role, *, now: int) -> User:
    """Creates an account with a password that is hashed already, or with none.

    Raises the errors of `check_free`.
    """
    check_free(session, name)
    user = User(name=name, password=hashed, role=role, created_at=now)
    session.add(user)
    session.flush()
    return user


def _add(session: Session, name: str, password: str, role: Role, now: int) -> User:
    hashed = passwords.hash_password(password, name)  # slow: before the first statement
    return add(session, name, hashed, role, now=now)


def _has_operator(session: Session, but: User | None = None) -> bool:
    query = select(User.id).where(User.role == Role.OPERATOR).limit(1)
    if but is not None:
        query = query.where(User.id != but.id)
    return session.scalar(query) is not None


def working_tokens() -> tuple[ColumnElement[bool], ...]:
    """Returns the conditions for everybody's API tokens that are not revoked."""
    return Token.purpose == _API, Token.revoked_at.is_(None)


def _working(user: User) -> tuple[ColumnElement[bool], ...]:
    """The conditions for the account's API tokens that are not revoked."""
    return Token.user_id == user.id, *working_tokens()


def _scopes(user: User, scopes: Collection[str] | None, by: Token | None) -> str:
    """The scopes of a new token as text, in the order of `Scope`. Raises BadOption or Forbidden."""
    known = user.scopes
    held = known if by is None else known & by.scope_set
    wanted = held if scopes is None else set(scopes)
    if not wanted or not wanted <= set(Scope):
        offered = ", ".join(scope for scope in Scope if scope in known)
        raise BadOption(f"choose what the token may do, at least one of these: {offered}").of(
            "scope"
        )
    if not wanted <= known:
        raise Forbidden("only an operator's token may have the scope `operate`")
    if not wanted <= held:
        mine = ", ".join(scope for scope in Scope if scope in held)
        raise Forbidden(f"this token can make others with its own scopes only: {mine}")
    return " ".join(scope for scope in Scope if scope in wanted)


def _give(
    session: Session, user: User | None, purpose: str, name: str, now: int, **more: Any
) -> str:
    secret = f"mbx_{secrets.token_urlsafe(32)}"
    owner = None if user is None else user.id
    row = Token(
        digest=digest_of(secret), purpose=purpose, user_id=owner, name=name, created_at=now, **more
    )
    session.add(row)
    session.flush()
    return secret
