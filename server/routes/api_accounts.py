"""Accounts and their tokens."""

from __future__ import annotations

from contextlib import suppress

from apiflask import APIBlueprint
from flask import Response
from flask.typing import ResponseReturnValue

from matchbox.answers.accounts import Account, FreshToken, Sessions, Tokens
from matchbox.errors import Forbidden
from server import queries
from server.auth import (
    account,
    acting,
    context,
    session_begun,
    session_number,
    signed_in,
    token_in_use,
)
from server.login import start_session
from server.rate_limits import client_network
from server.routes import schemas
from server.routes.responses import answered, described
from server.scopes import ANYBODY, Scope, needs
from server.services import account_deletion, accounts, classes, logins, password_links, sessions
from server.zips import ZIP, personal_zip

routes = APIBlueprint("accounts", __name__, url_prefix="/api/v1", tag="Accounts")


@routes.get("/whoami")
@needs(Scope.READ)
@routes.output(Account)
def whoami() -> Response:
    """Returns the account that makes the request."""
    return answered(queries.account(signed_in()))


@routes.post("/login")
@needs(ANYBODY)
@routes.input(schemas.LogIn)
@routes.output(FreshToken, status_code=201)
def log_in(json_data: schemas.LogIn) -> Response:
    """Logs in with a name and a password, and makes a token; its secret is shown only once."""
    ctx = context()
    known = logins.log_in(ctx, json_data.name, json_data.password, client_network())
    with ctx.write() as session:
        user = accounts.same_password(session, known)
        secret = accounts.make_token(
            session, user, json_data.label, now=ctx.now(), **json_data.options
        )
        return answered(queries.fresh_token(session, secret, now=ctx.now()), 201)


@routes.post("/logout")
@needs(ANYBODY)
@routes.input(schemas.OldToken)
@routes.output({}, status_code=204)
def log_out(json_data: schemas.OldToken) -> ResponseReturnValue:
    """Revokes the token in the body, if it works; whoever has it may do so."""
    ctx = context()
    with suppress(Forbidden):
        with ctx.read() as session:  # A stranger's guess must not keep writers waiting.
            accounts.token_of(session, json_data.token, now=ctx.now())
        with ctx.write() as session:
            now = ctx.now()
            token = accounts.token_of(session, json_data.token, now=now)
            assert token.user is not None
            accounts.revoke_token(session, token.user, token.id, now=now)
    return "", 204


@routes.post("/accounts")
@needs(ANYBODY)
@routes.input(schemas.NewAuthor)
@routes.output(Account, status_code=201)
def sign_up(json_data: schemas.NewAuthor) -> Response:
    """Makes an account for a new author, if sign-up is open or with the code of a league."""
    ctx, name, password = context(), json_data.name, json_data.password
    with ctx.write() as session:
        signup, now = ctx.settings.signup, ctx.now()
        if json_data.code is None:
            user = accounts.sign_up(session, name, password, signup=signup, now=now)
        else:
            user = classes.sign_up(session, json_data.code, name, password, now=now)
        return answered(queries.account(user), 201)


@routes.post("/password-links")
@needs(ANYBODY)
@routes.input(schemas.Address)
@routes.output({}, status_code=204)
def request_link(json_data: schemas.Address) -> ResponseReturnValue:
    """Mails a link to set a new password, if an account has confirmed this address."""
    ctx = context()
    with ctx.write() as session:
        address, now = json_data.email, ctx.now()
        password_links.request_links(session, address, settings=ctx.settings, now=now)
    return "", 204


@routes.get("/tokens")
@needs(Scope.READ)
@routes.input(schemas.WhichTokens, location="query")
@routes.output(Tokens)
def list_tokens(query_data: schemas.WhichTokens) -> Response:
    """Lists your tokens, expired ones for 30 days; `revoked` adds those revoked in the last 30."""
    ctx = context()
    with ctx.read() as session:
        who, since = account(session), accounts.listed_since(ctx.now())
        items = queries.tokens(session, who, since=since, revoked=query_data.revoked)
        return answered(Tokens(items=items, next=None))


@routes.post("/tokens")
@needs(Scope.SUBMIT)
@routes.input(schemas.NewToken)
@routes.output(FreshToken, status_code=201)
def make_token(json_data: schemas.NewToken) -> Response:
    """Makes a token with at most the scopes of the one you use; its secret is shown only once."""
    with acting() as (session, actor, now):
        by = token_in_use(session)
        secret = accounts.make_token(
            session, actor, json_data.name, now=now, by=by, **json_data.options
        )
        return answered(queries.fresh_token(session, secret, now=now), 201)


@routes.delete("/tokens/<number:number>")
@needs(Scope.SUBMIT)
@routes.output({}, status_code=204)
def revoke_token(number: int) -> ResponseReturnValue:
    """Revokes one of your tokens."""
    with acting() as (session, actor, now):
        accounts.revoke_token(session, actor, number, now=now)
    return "", 204


@routes.get("/account/sessions")
@needs(Scope.READ)
@routes.output(Sessions)
def list_sessions() -> Response:
    """Lists the browsers in which your account is logged in."""
    ctx = context()
    with ctx.read() as session:
        items = queries.sessions(session, account(session), session_number(), now=ctx.now())
        return answered(Sessions(items=items, next=None))


@routes.delete("/account/sessions/<number:number>")
@needs(Scope.SUBMIT)
@routes.output({}, status_code=204)
def end_session(number: int) -> ResponseReturnValue:
    """Logs one of your browsers out."""
    with acting() as (session, actor, _):
        sessions.end(session, actor, number)
    return "", 204


@routes.get("/account/data")
@needs(Scope.READ)
@routes.doc(responses=described("A zip", ZIP))
def data() -> Response:
    """Returns all data of your account as a zip: bots with their files, notices, results."""
    return personal_zip(signed_in())


@routes.post("/account/delete")
@needs(Scope.SUBMIT)
@routes.input(schemas.Deletion)
@routes.output({}, status_code=204)
def delete(json_data: schemas.Deletion) -> ResponseReturnValue:
    """Deletes your account for ever; the matches of its bots stay, under no name."""
    network = client_network()
    begun = session_begun()
    account_deletion.delete_account(
        context(), signed_in(), json_data.password, network=network, begun=begun
    )
    return "", 204


@routes.post("/account/password")
@needs(Scope.SUBMIT)
@routes.input(schemas.NewPassword)
@routes.output(Account)
def change_password(json_data: schemas.NewPassword) -> Response:
    """Sets a new password, ends your other sessions, and revokes every token if you ask for it."""
    actor, network = signed_in(), client_network()
    old, new, revoke = json_data.old, json_data.new, json_data.revoke_tokens
    user = logins.change_password(
        context(),
        actor,
        old,
        new,
        network=network,
        revoke=revoke,
        begun=session_begun(),
        then=None if session_number() is None else start_session,
    )
    return answered(queries.account(user))
