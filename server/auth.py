"""Who is asking: a session's cookie or a bearer token, never both; and what protects the cookie.

Knows requests and accounts; checks no password itself. A request with an Authorization header is
judged by it alone, so a forged form cannot ride on a cookie through the API.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from flask import current_app, g, request, session
from flask_login import LoginManager, UserMixin, current_user, login_user, logout_user
from flask_wtf.csrf import CSRFError, CSRFProtect

from matchbox.errors import Forbidden
from server.db.models import Role
from server.problems import LoginNeeded, answer
from server.services import accounts

if TYPE_CHECKING:
    from flask import Flask, Request, Response
    from sqlalchemy.orm import Session

    from server.context import Context
    from server.db.models import User

SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
WITHOUT_COOKIE: Final = ("/api/", "/internal/")
"""Where a request may change something without a session, and says who it is in another way."""
FOR_STRANGERS: Final = ("accounts.log_in", "accounts.sign_up")
"""What the API lets somebody without an account do; all else is refused before it is read."""


@dataclass(frozen=True)
class Visitor(UserMixin):
    """The account behind a request."""

    id: int
    name: str
    role: str
    stamp: str
    """Changes with the password, so that a new one ends every session begun with the old."""

    @classmethod
    def of(cls, user: User) -> Visitor:
        """The visitor that this account is."""
        stamp = sha256((user.password or "").encode()).hexdigest()[:16]
        return cls(user.id, user.name, user.role, stamp)

    def get_id(self) -> str:
        """What the session's cookie holds."""
        return f"{self.id}:{self.stamp}"

    @property
    def is_operator(self) -> bool:
        """True for an account that may run the platform."""
        return self.role == Role.OPERATOR


def context() -> Context:
    """The context that the app was made with."""
    made: Context = current_app.extensions["matchbox"]
    return made


def visitor() -> Visitor | None:
    """Who is asking, or None."""
    return current_user._get_current_object() if current_user.is_authenticated else None


def viewer(books: Session) -> User | None:
    """The account of who is asking, in these books, or None."""
    asking = visitor()
    return accounts.user_by_id(books, asking.id) if asking else None


def account(books: Session) -> User:
    """The account of who is asking. Raises LoginNeeded."""
    user = viewer(books)
    if user is None:
        raise LoginNeeded
    return user


def require_account() -> None:
    """Refuses who is not logged in, before any more is read. Raises LoginNeeded."""
    if not current_user.is_authenticated:
        raise LoginNeeded


def operator(books: Session) -> User:
    """The account of who is asking, an operator's. Raises LoginNeeded or Forbidden."""
    user = account(books)
    accounts.require_operator(user)
    return user


def arena_only() -> None:
    """Refuses everybody who does not show the arena's token; who does is no stranger from then on.

    Raises LoginNeeded.
    """
    expected = context().settings.arena_token
    if not expected or not hmac.compare_digest(_bearer(request).encode(), expected.encode()):
        raise LoginNeeded("only an arena may ask this, with the arena token of the settings")
    g.arena = True


def start_session(user: User) -> None:
    """Logs the browser in, with nothing left of the session before."""
    session.clear()
    session.permanent = True
    login_user(Visitor.of(user))


def end_session() -> None:
    """Logs the browser out."""
    logout_user()
    session.clear()


def guard_entry(app: Flask) -> None:
    """Sets up sessions, tokens and the protection against forged forms."""
    manager = LoginManager(app)
    manager.session_protection = None
    manager.user_loader(_of_session)
    manager.request_loader(_of_token)
    csrf = CSRFProtect(app)
    app.register_error_handler(CSRFError, _tell_forgery)

    @app.before_request
    def refuse_forgeries() -> None:
        """A bad token is told even where none is needed; a change wants an account or a token."""
        known = current_user.is_authenticated
        if "bad_token" in g:
            raise LoginNeeded(g.bad_token)
        if request.method in SAFE_METHODS or _has_header(request) or request.endpoint is None:
            return
        if known or not request.path.startswith(WITHOUT_COOKIE):
            csrf.protect()
        elif request.path.startswith("/api/") and request.endpoint not in FOR_STRANGERS:
            require_account()


def _of_session(identifier: str) -> Visitor | None:
    if _has_header(request) or request.path.startswith("/internal/"):
        return None
    number, _, _ = identifier.partition(":")
    with context().read() as books:
        user = accounts.user_by_id(books, int(number))
        known = Visitor.of(user) if user else None
        return known if known and known.get_id() == identifier else None


def _of_token(asked: Request) -> Visitor | None:
    if not _has_header(asked) or asked.path.startswith("/internal/"):
        return None
    try:
        made = context()
        with made.read() as books:
            token = accounts.token_of(books, _bearer(asked))
            assert token.user is not None
            number, used_at, asking = token.id, token.used_at or 0, Visitor.of(token.user)
        if made.now() - used_at >= accounts.NOTED_MS:
            with made.write() as books:
                accounts.note_use(books, number, now=made.now())
        return asking
    except Forbidden as error:
        g.bad_token = str(error)
        return None


def _has_header(asked: Request) -> bool:
    return "Authorization" in asked.headers


def _bearer(asked: Request) -> str:
    kind, _, secret = asked.headers.get("Authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def _tell_forgery(error: CSRFError) -> Response:
    return answer(
        400,
        f"{error.description} Load the page again and send its form once more.",
        kind="ForgedForm",
    )
