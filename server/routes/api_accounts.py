"""Accounts and their tokens."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response
from flask.typing import ResponseReturnValue

from matchbox.answers.accounts import Account, FreshToken, Sessions, Tokens
from matchbox.errors import Forbidden
from server import queries
from server.auth import account, context, operator, start_session, token_in_use, visitor
from server.rate_limits import client_network
from server.routes import schemas
from server.routes.responses import answered
from server.scopes import ANYBODY, Scope, needs
from server.services import accounts, logins, sessions

routes = APIBlueprint("accounts", __name__, url_prefix="/api/v1", tag="Accounts")
OPEN: Any = [{}]
"""For who is not logged in yet."""


@routes.get("/whoami")
@needs(Scope.READ)
@routes.output(Account)
def whoami() -> Response:
    """The account that asks."""
    with context().read() as session:
        user = account(session)
        return answered(Account(name=user.name, role=user.role))


@routes.post("/login")
@needs(ANYBODY)
@routes.input(schemas.LogIn)
@routes.output(FreshToken, status_code=201)
@routes.doc(security=OPEN)
def log_in(json_data: schemas.LogIn) -> Response:
    """A new token for a name and its password; the secret is shown this once."""
    made = context()
    with logins.counted(made, json_data.name, client_network()), made.read() as session:
        known = accounts.log_in(session, json_data.name, json_data.password)
    with made.write() as session:
        user = accounts.same_password(session, known)
        secret = accounts.make_token(
            session, user, json_data.label, now=made.now(), **json_data.terms
        )
        return answered(queries.fresh_token(session, secret, now=made.now()), 201)


@routes.post("/accounts")
@needs(ANYBODY)
@routes.input(schemas.Credentials)
@routes.output(Account, status_code=201)
@routes.doc(security=OPEN)
def sign_up(json_data: schemas.Credentials) -> Response:
    """A new author's account, where sign-up is open."""
    made = context()
    if made.settings.signup != "open":
        raise Forbidden("sign-up is closed here; ask an operator for an account")
    with made.write() as session:
        user = accounts.sign_up(session, json_data.name, json_data.password, now=made.now())
        return answered(Account(name=user.name, role=user.role), 201)


@routes.post("/users")
@needs(Scope.OPERATE)
@routes.input(schemas.NewUser)
@routes.output(Account, status_code=201)
def create_user(json_data: schemas.NewUser) -> Response:
    """An account made by an operator."""
    made = context()
    with made.read() as session:
        operator(session)
    with made.write() as session:
        user = accounts.create_user(
            session,
            account(session),
            json_data.name,
            json_data.password,
            json_data.role,
            now=made.now(),
        )
        return answered(Account(name=user.name, role=user.role), 201)


@routes.get("/tokens")
@needs(Scope.READ)
@routes.output(Tokens)
def list_tokens() -> Response:
    """Your tokens that work, without their secrets."""
    with context().read() as session:
        items = queries.tokens(session, account(session))
        return answered(Tokens(items=items, next=None))


@routes.post("/tokens")
@needs(Scope.SUBMIT)
@routes.input(schemas.NewToken)
@routes.output(FreshToken, status_code=201)
def make_token(json_data: schemas.NewToken) -> Response:
    """A new token, which may do no more than the one that asks; its secret is shown this once."""
    made = context()
    with made.write() as session:
        user, by = account(session), token_in_use(session)
        secret = accounts.make_token(
            session, user, json_data.name, now=made.now(), by=by, **json_data.terms
        )
        return answered(queries.fresh_token(session, secret, now=made.now()), 201)


@routes.delete("/tokens/<number:number>")
@needs(Scope.SUBMIT)
@routes.output({}, status_code=204)
def revoke_token(number: int) -> ResponseReturnValue:
    """Makes a token of yours stop working."""
    made = context()
    with made.write() as session:
        accounts.revoke_token(session, account(session), number, now=made.now())
    return "", 204


@routes.get("/account/sessions")
@needs(Scope.READ)
@routes.output(Sessions)
def list_sessions() -> Response:
    """The browsers in which your account is logged in."""
    made, asking = context(), visitor()
    with made.read() as session:
        current = asking.session if asking else None
        items = queries.sessions(session, account(session), current, now=made.now())
        return answered(Sessions(items=items, next=None))


@routes.delete("/account/sessions/<number:number>")
@needs(Scope.SUBMIT)
@routes.output({}, status_code=204)
def end_session(number: int) -> ResponseReturnValue:
    """Logs one of your browsers out."""
    with context().write() as session:
        sessions.end(session, account(session), number)
    return "", 204


@routes.post("/account/password")
@needs(Scope.SUBMIT)
@routes.input(schemas.NewPassword)
@routes.output(Account)
def change_password(json_data: schemas.NewPassword) -> Response:
    """Sets a new password: ends your other sessions, and revokes every token where asked."""
    return answered(new_password(json_data.old, json_data.new, revoke=json_data.revoke_tokens))


def new_password(old: str, new: str, *, revoke: bool) -> Account:
    """Changes the password of who asks, whose browser stays logged in; the account."""
    made, asking = context(), visitor()
    with made.read() as session:
        user = account(session)
    with logins.counted(made, user.name, client_network()):
        accounts.check_password(user, old)
    with made.write() as session:
        user = accounts.change_password(session, user, old, new, now=made.now(), revoke=revoke)
    if asking is not None and asking.session is not None:
        start_session(user)
    return Account(name=user.name, role=user.role)
