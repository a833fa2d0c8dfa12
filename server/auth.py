"""Finds the account behind a request, by its session's cookie or by a bearer token, never by both.

Knows requests and accounts; checks no password. If a request has an Authorization header, its
cookie is ignored. Such a request is not checked for forgery, so it must not get a cookie's rights.
"""

from __future__ import annotations

import hmac
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from flask import current_app, g, request
from flask import session as cookie
from flask_login import LoginManager, UserMixin, current_user
from flask_wtf.csrf import CSRFError, CSRFProtect

from matchbox.errors import BadMessage, Forbidden, MatchboxError, Unavailable
from matchbox.match import wire
from matchbox.whole_numbers import whole_number
from server.db.models import Role, Scope, Token, User
from server.problems import AGAIN, LoginNeeded, ScopeNeeded, answer
from server.scopes import ANYBODY, scope_of
from server.services import accounts, arena_keys, sessions
from server.services.lookup import FOUND_SEASONS
from server.services.remote_names import MAX_ARENAS, arena_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Concatenate

    from flask import Flask, Request, Response
    from sqlalchemy.orm import Session

    from server.context import Context

P = ParamSpec("P")
T = TypeVar("T")
W = TypeVar("W")
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
WITHOUT_COOKIE: Final = ("/api/", "/internal/", "/remote/")
"""Paths where a request without a session needs no form token: it has a bearer token instead."""
ARENA_PATHS: Final = ("/internal/", "/remote/")
"""Paths where a bearer token is an arena's and no account's."""
PROBES: Final = ("/healthz", "/readyz", "/metrics")
"""Paths for monitors, which need no account: what a monitor sends as one is not looked at."""
CACHEABLE: Final = "/assets/"
"""Files that caches on the way may keep: an answer with one must not renew a session's cookie."""
WITHOUT_ACCOUNT: Final = tuple(
    f"accounts.{name}" for name in ("log_in", "log_out", "sign_up", "request_link")
)
"""The API's endpoints that change something and need no account."""


@dataclass(frozen=True)
class Visitor(UserMixin):  # type: ignore[misc]  # Flask-Login has no types
    """The account behind a request, and the rights of the request."""

    id: int
    name: str
    role: str
    scopes: frozenset[Scope]
    """The rights of the request; a session has all rights of its account."""
    session: int | None = None
    """The number of the session, if the request came with its cookie."""
    token: int | None = None
    """The number of the token, if the request came with one."""
    key: str = field(default="", repr=False)
    """The session's secret, if the request came with its cookie."""

    def get_id(self) -> str:
        """Returns the value of the session's cookie."""
        return self.key


def context() -> Context:
    """Returns the context with which the app was made."""
    ctx: Context = current_app.extensions["matchbox"]
    return ctx


def visitor() -> Visitor | None:
    """Returns the visitor behind the request, or None if it comes without an account."""
    return current_user._get_current_object() if current_user.is_authenticated else None


def viewer(session: Session) -> User | None:
    """Returns the account that makes the request, read in this database session, or None."""
    asking = visitor()
    user = session.get(User, asking.id) if asking else None
    if asking is not None and user is not None:
        user.limited = Scope.OPERATE not in asking.scopes
    return user


def account(session: Session) -> User:
    """Returns the account that makes the request. Raises LoginNeeded if there is none."""
    user = viewer(session)
    if user is None:
        raise LoginNeeded
    return user


def signed_in() -> User:
    """Returns the account that makes the request, read in a session of its own.

    Raises LoginNeeded if there is none.
    """
    with context().read() as session:
        return account(session)


@contextmanager
def reader() -> Iterator[Session]:
    """Opens a reader's session for a page.

    All parts of a page share one, so that they show the same moment; an error ends it. A form has a
    new one each time, since it may have changed something in between.
    """
    if request.method not in SAFE_METHODS:
        with context().read() as session:
            yield session
        return
    if "reader" not in g:
        g.reader = ExitStack()
        g.page_session = g.reader.enter_context(context().read())
        g.page_session.info[FOUND_SEASONS] = {}
    try:
        yield g.page_session
    except BaseException as error:
        kept = g.pop("reader", None)
        if kept is None or not kept.__exit__(type(error), error, error.__traceback__):
            raise


def end_reader(_: object = None) -> None:
    """Ends the session of a page."""
    if "reader" in g:
        g.pop("reader").close()


def reading(query: Callable[Concatenate[Session, P], T]) -> Callable[P, T]:
    """Returns the query as a function of a page, which `reader` gives its session."""

    def read(*args: P.args, **kwargs: P.kwargs) -> T:
        with reader() as session:
            return query(session, *args, **kwargs)

    return read


def reading_as(
    who: Callable[[Session], W], query: Callable[Concatenate[Session, W, P], T]
) -> Callable[P, T]:
    """Returns the query as `reading` does, and gives it the `viewer` or the `account` too."""

    def read(session: Session, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return query(session, who(session), *args, **kwargs)

    return reading(read)


@contextmanager
def acting() -> Iterator[tuple[Session, User, int]]:
    """Opens a write transaction for an action.

    Yields its session, the account that acts, and the time in ms UTC, read when it is this writer's
    turn. Raises LoginNeeded, also if the account was closed, or the request's token or session
    ended, before it was. Marks the request as one that has changed something, for the answers to
    later errors.
    """
    ctx = context()
    with ctx.write() as session:
        actor = account(session)
        now = ctx.now()
        _check_still_in(session, actor, now)
        yield session, actor, now
    g.changed = True


def require_account() -> None:
    """Raises LoginNeeded unless the request comes from an account; reads no body."""
    if not current_user.is_authenticated:
        raise LoginNeeded


def arena_only() -> None:
    """Raises LoginNeeded unless the request has the arena token; else marks it as an arena's."""
    expected = context().settings.arena_token
    if not expected or not hmac.compare_digest(_bearer(request).encode(), expected.encode()):
        raise LoginNeeded("only an arena may ask this, with the arena token of the settings")
    g.arena = True


def remote_arena() -> str:
    """Returns the full name of the arena whose key the request has; it is looked up only once.

    Raises Forbidden if the key is unknown or was removed, or BadMessage for a wrong number.
    """
    if "arena" not in g:
        with context().read() as session:
            key = arena_keys.key_of_secret(session, _bearer(request)).name
        number = whole_number(request.headers.get(wire.ARENA_HEADER, "1"), len(str(MAX_ARENAS)))
        if number is None or not 1 <= number <= MAX_ARENAS:
            raise BadMessage(f"{wire.ARENA_HEADER} is a number from 1 to {MAX_ARENAS}")
        g.arena = arena_name(key, number)
    name: str = g.arena
    return name


def remote_only() -> None:
    """Raises LoginNeeded unless the request has an arena's key that works."""
    try:
        remote_arena()
    except Forbidden as error:
        raise LoginNeeded(str(error)) from error


def token_in_use(session: Session) -> Token | None:
    """Returns the API token that the request came with, read in this session, or None."""
    asking = visitor()
    return session.get(Token, asking.token) if asking and asking.token else None


def session_number() -> int | None:
    """Returns the number of the session with whose cookie the request came, or None."""
    asking = visitor()
    return None if asking is None else asking.session


def session_secret() -> str:
    """Returns the secret of the session with whose cookie the request came; else an empty text."""
    asking = visitor()
    return "" if asking is None else asking.key


def session_begun() -> int | None:
    """Returns when the request's session was begun, in ms UTC; None if it came without one."""
    ctx, secret = context(), session_secret()
    if not secret:
        return None
    with ctx.read() as session:
        found = sessions.session_of(session, secret, now=ctx.now())
        return None if found is None else found.created_at


def guard_entry(app: Flask) -> None:
    """Sets up sessions, tokens and the protection against forged forms."""
    manager = LoginManager(app)
    manager.session_protection = None
    manager.user_loader(_of_session)
    manager.request_loader(_of_token)
    csrf = CSRFProtect(app)
    app.register_error_handler(CSRFError, _answer_forgery)

    app.teardown_request(end_reader)

    @app.before_request
    def refuse_forgeries() -> None:
        """Refuses bad tokens, missing scopes, forged forms, and changes without an account."""
        known = current_user.is_authenticated
        if "bad_token" in g:
            raise LoginNeeded(g.bad_token)
        _check_scope()
        if request.method in SAFE_METHODS or _has_header(request) or request.endpoint is None:
            return
        if known or not request.path.startswith(WITHOUT_COOKIE):
            csrf.protect()
        elif request.path.startswith("/api/") and request.endpoint not in WITHOUT_ACCOUNT:
            require_account()


def _check_still_in(session: Session, actor: User, now: int) -> None:
    """Raises LoginNeeded unless the account, and the request's token or session, are still valid in
    this database session."""
    asking, token = visitor(), token_in_use(session)
    if asking is None or actor.closed_at is not None:
        raise LoginNeeded
    if asking.token is not None and (token is None or token.revoked_at is not None):
        raise LoginNeeded("this token has just been revoked")
    if asking.key and sessions.session_of(session, asking.key, now=now) is None:
        raise LoginNeeded("this session has just ended; log in again")


def _check_scope() -> None:
    """Raises ScopeNeeded if the request came with a token that lacks the scope it needs.

    Pages need the scope `read`. The scope `operate` is not required of authors' tokens, since an
    author cannot make a token with it. The view itself refuses authors. Raises Forbidden for a form
    that is sent with a token.
    """
    asking = visitor()
    if asking is None or asking.token is None or request.endpoint is None:
        return
    if request.path.startswith("/api/"):
        view = current_app.view_functions[request.endpoint]
        wanted = scope_of(request.endpoint, view) or Scope.OPERATE
    elif request.method in SAFE_METHODS:
        wanted = Scope.READ
    else:
        raise Forbidden("a token sends no forms; ask /api/v1, or log in with a browser")
    if wanted == Scope.OPERATE and asking.role != Role.OPERATOR:
        return
    if wanted != ANYBODY and wanted not in asking.scopes:
        raise ScopeNeeded(wanted, asking.scopes)


def _of_session(secret: str) -> Visitor | None:
    if _has_header(request) or request.path.startswith(ARENA_PATHS):
        return None
    ctx, address = context(), request.remote_addr
    now = ctx.now()
    with ctx.read() as session:
        row = sessions.session_of(session, secret, now=now)
        if row is None:
            return None
        user, number, stale = row.user, row.id, sessions.is_stale(row, address, now=now)
        asking = Visitor(user.id, user.name, user.role, user.scopes, session=number, key=secret)
    if stale and not request.path.startswith(CACHEABLE):
        with suppress(Unavailable), ctx.write() as session:  # The next request may store it.
            sessions.note_use(session, secret, address=address, now=now)
        # Only now: an answer that comes after another log-in must not bring the old cookie back.
        cookie.modified = True
    return asking


def _of_token(sent: Request) -> Visitor | None:
    if not _has_header(sent) or sent.path.startswith(ARENA_PATHS) or sent.path in PROBES:
        return None
    try:
        ctx = context()
        now = ctx.now()
        with ctx.read() as session:
            token = accounts.token_of(session, _bearer(sent), now=now)
            user, used_at = token.user, token.used_at or 0
            assert user is not None
            scopes = token.scope_set & user.scopes
            asking = Visitor(user.id, user.name, user.role, scopes, token=token.id)
        if now - used_at >= accounts.NOTED_MS:
            with suppress(Unavailable), ctx.write() as session:
                accounts.note_use(session, token.id, now=now)
        return asking
    except Forbidden as error:
        g.bad_token = str(error)
        return None


def _has_header(sent: Request) -> bool:
    return "Authorization" in sent.headers


def _bearer(sent: Request) -> str:
    kind, _, secret = sent.headers.get("Authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def _answer_forgery(error: CSRFError) -> Response:
    """Shows a form again, with what was typed and a token that is valid.

    An honest form is refused if its page was opened before the last log-in. A forged one is then
    seen by its victim, who has to press the button.
    """
    again = getattr(current_app.view_functions[request.endpoint or ""], AGAIN, None)
    trouble = "This form is not from a page of your present session. Nothing was changed"
    if again is not None:
        with suppress(MatchboxError):  # The visitor may not see that page now.
            text = f"{trouble}: check the form and send it again.{_about_cookies(error)}"
            shown: Response = again(text, 400, **(request.view_args or {}))
            return shown
    first = "" if current_user.is_authenticated else "log in if you have been logged out, "
    text = (
        f"{trouble}: {first}load the page again and send its form once more.{_about_cookies(error)}"
    )
    return answer(400, text, kind="ForgedForm")


def _about_cookies(error: CSRFError) -> str:
    """What to do if sending the form again does not help, because its cookie never comes."""
    if "session" not in (error.description or ""):
        return ""
    address = context().settings.server_url
    place = f", and open it at {address}" if address.startswith("https://") else ""
    return f" If that does not help, let the browser keep this site's cookies{place}."
