"""Accounts: who may come in, and by what secret. Knows no web."""

from __future__ import annotations

import secrets
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NoReturn

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import or_, select, update

from matchbox.bundle import check_name
from matchbox.errors import BadName, Conflict, Forbidden, NotFound
from server.db.models import Role, Token, User
from server.db.session import rows_changed
from server.services import audit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

HOUSE: Final = "house"
RESERVED: Final = frozenset({HOUSE, "admin", "api", "system", "matchbox"})
LEAST_PASSWORD: Final = 10
MOST_PASSWORD: Final = 1000
TOKENS: Final = 50
"""API tokens that an account may have at a time."""
NOTED_MS: Final = 60_000
"""The use of a token is noted no more often."""
_API: Final = "api"
_FIRST: Final = "first-operator"
_HASHER: Final = PasswordHasher()


def sign_up(session: Session, name: str, password: str, *, now: int) -> User:
    """A new author's account. Raises BadName or Conflict."""
    return _add(session, name, password, Role.AUTHOR, now)


def create_user(
    session: Session, actor: User, name: str, password: str, role: str, *, now: int
) -> User:
    """An account made by an operator. Raises Forbidden, BadName or Conflict."""
    require_operator(actor)
    if role not in (Role.AUTHOR, Role.OPERATOR):
        raise BadName(f"there is no role {role!r}; the roles are author and operator")
    made = _add(session, name, password, Role(role), now)
    detail = {"name": made.name, "role": role}
    audit.note(session, actor, "user.create", f"user:{made.id}", detail, now=now)
    return made


def log_in(session: Session, name: str, password: str) -> User:
    """The account with that name and password. Raises Forbidden, whichever of them is wrong."""
    user = session.scalar(select(User).where(User.name == name))
    known = user.password if user is not None else None
    fits = _fits(known or _nobody(), password)
    if user is None or known is None or not fits:
        raise Forbidden("the name or the password is wrong")
    return user


def user_by_id(session: Session, number: int) -> User | None:
    """The account of that row, for a session cookie; None where there is none."""
    return session.get(User, number)


def change_password(session: Session, user: User, old: str, new: str) -> User:
    """The account with its new password.

    Raises Forbidden where the old one is wrong, BadName where the new one is poor, Conflict where
    somebody else has just changed it.
    """
    known = user.password
    if known is None or not _fits(known, old):
        raise Forbidden("the password is wrong")
    hashed = _hash(new)  # before the first statement, while no turn to write is held
    which = (User.id == user.id, User.password == known)
    if rows_changed(session, update(User).where(*which).values(password=hashed)) != 1:
        raise Conflict("the password has just been changed; log in again")
    return session.get_one(User, user.id, populate_existing=True)


def first_operator_link(session: Session, *, now: int) -> str | None:
    """The secret of a one-time link for the first operator; None once there is one.

    Links given out before stop working.
    """
    if _has_operator(session):
        return None
    open_links = (Token.purpose == _FIRST, Token.used_at.is_(None), Token.revoked_at.is_(None))
    session.execute(update(Token).where(*open_links).values(revoked_at=now))
    return _give(session, None, _FIRST, "", now)


def is_open_link(session: Session, secret: str) -> bool:
    """Whether this one-time link has not been used or replaced, and there is no operator yet."""
    link = (Token.digest == _digest(secret), Token.purpose == _FIRST)
    unused = (Token.used_at.is_(None), Token.revoked_at.is_(None))
    found = session.scalar(select(Token.id).where(*link, *unused))
    return found is not None and not _has_operator(session)


def claim_operator(session: Session, secret: str, name: str, password: str, *, now: int) -> User:
    """The first operator's account, by the one-time link. Raises Forbidden, BadName, Conflict."""
    user = _add(session, name, password, Role.OPERATOR, now)
    link = (Token.digest == _digest(secret), Token.purpose == _FIRST)
    unused = (Token.used_at.is_(None), Token.revoked_at.is_(None))
    values = {"used_at": now, "user_id": user.id}
    taken = rows_changed(session, update(Token).where(*link, *unused).values(**values))
    if taken != 1 or _has_operator(session, but=user):
        raise Forbidden("this link has been used, or replaced by a newer one; see the log")
    audit.note(session, user, "user.claim", f"user:{user.id}", {"name": name}, now=now)
    return user


def make_token(session: Session, user: User, name: str, *, now: int) -> str:
    """A new API secret of that account: shown once. Raises BadName or Conflict."""
    if not 1 <= len(name) <= 64 or not name.isprintable():
        raise BadName("a token's name has 1 to 64 printable characters")
    if len(tokens(session, user)) >= TOKENS:
        raise Conflict(f"you have {TOKENS} tokens; revoke one that you no longer use")
    return _give(session, user, _API, name, now)


def tokens(session: Session, user: User) -> Sequence[Token]:
    """The account's API tokens that work, oldest first."""
    mine = (Token.user_id == user.id, Token.purpose == _API, Token.revoked_at.is_(None))
    return session.scalars(select(Token).where(*mine).order_by(Token.id)).all()


def token_of(session: Session, secret: str) -> Token:
    """The API token with this secret, and with an account. Raises Forbidden."""
    working = (Token.purpose == _API, Token.revoked_at.is_(None))
    token = session.scalar(select(Token).where(Token.digest == _digest(secret), *working))
    if token is None or token.user is None:
        raise Forbidden("this token is unknown or revoked; make a new one on your account's page")
    return token


def note_use(session: Session, token: int, *, now: int) -> None:
    """Keeps when an API token was used; once in NOTED_MS is enough."""
    stale = or_(Token.used_at.is_(None), Token.used_at <= now - NOTED_MS)
    session.execute(update(Token).where(Token.id == token, stale).values(used_at=now))


def revoke_token(session: Session, user: User, number: int, *, now: int) -> None:
    """Makes one of the account's tokens stop working. Raises NotFound."""
    mine = (Token.id == number, Token.user_id == user.id, Token.revoked_at.is_(None))
    if rows_changed(session, update(Token).where(*mine).values(revoked_at=now)) != 1:
        raise NotFound(f"you have no working token {number}")


def share(user: User, *, shares: bool) -> None:
    """Says whether the files and memories of the account's bots go with exported seasons."""
    user.shares = shares


def house(session: Session, *, now: int) -> User:
    """The account that owns the shipped bots; made when it is first asked for."""
    found = session.scalar(select(User).where(User.role == Role.HOUSE))
    if found is None:
        found = User(name=HOUSE, password=None, role=Role.HOUSE, created_at=now)
        session.add(found)
        session.flush()
    return found


def require_operator(actor: User) -> None:
    """Raises Forbidden unless the account is an operator's."""
    if not actor.operator:
        raise Forbidden("only an operator may do this")


def require_owner(actor: User, owner_id: int) -> None:
    """Raises Forbidden unless the thing is the account's own, or the account an operator's."""
    if actor.id != owner_id and not actor.operator:
        raise Forbidden("this belongs to somebody else")


def _add(session: Session, name: str, password: str, role: Role, now: int) -> User:
    hashed = _hash(password)  # first, while no turn to write is held
    if check_name(name) in RESERVED or session.scalar(select(User.id).where(User.name == name)):
        raise Conflict(f"the name {name!r} is taken; choose another")
    user = User(name=name, password=hashed, role=role, created_at=now)
    session.add(user)
    session.flush()
    return user


def _has_operator(session: Session, but: User | None = None) -> bool:
    query = select(User.id).where(User.role == Role.OPERATOR).limit(1)
    if but is not None:
        query = query.where(User.id != but.id)
    return session.scalar(query) is not None


def _hash(password: str) -> str:
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        _refuse_password()
    try:
        return _HASHER.hash(password)
    except UnicodeEncodeError:
        _refuse_password()


def _refuse_password() -> NoReturn:
    raise BadName(f"a password has {LEAST_PASSWORD} characters or more; choose another")


def _fits(hashed: str, password: str) -> bool:
    try:
        return _HASHER.verify(hashed, password)
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False


@cache
def _nobody() -> str:
    """A hash for names that do not exist, so that they take as long as those that do."""
    return _HASHER.hash(secrets.token_hex(16))


def _give(session: Session, user: User | None, purpose: str, name: str, now: int) -> str:
    secret = f"mbx_{secrets.token_urlsafe(32)}"
    owner = None if user is None else user.id
    row = Token(digest=_digest(secret), purpose=purpose, user_id=owner, name=name, created_at=now)
    session.add(row)
    session.flush()
    return secret


def _digest(secret: str) -> str:
    return blake2b(secret.encode("utf-8", "replace"), digest_size=32).hexdigest()
