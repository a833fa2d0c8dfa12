"""Everybody's accounts, for operators: make one, reset a password, change a role, close one."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response
from flask.typing import ResponseReturnValue

from matchbox.answers.accounts import Account, LoggedIn, PasswordLink
from matchbox.answers.classes import FreshAccount
from matchbox.answers.platform import UserDetail, Users
from server import queries
from server.auth import acting, context, session_number, signed_in, viewer
from server.queries import users
from server.routes import schemas
from server.routes.responses import answered, described
from server.scopes import Scope, needs
from server.services import account_deletion, account_operations, accounts
from server.zips import ZIP, handed_over_zip

routes = APIBlueprint("users", __name__, url_prefix="/api/v1", tag="Accounts")


@routes.get("/users")
@needs(Scope.OPERATE)
@routes.input(schemas.UsersPage, location="query")
@routes.output(Users)
def index(query_data: schemas.UsersPage) -> Response:
    """Lists the accounts by name; `q` is a part of name, mail address or note. For operators."""
    with context().read() as session:
        page = query_data.model_dump(exclude={"q"})
        return answered(users.users(session, viewer(session), wanted=query_data.q, **page))


@routes.get("/users/<name:name>")
@needs(Scope.OPERATE)
@routes.output(UserDetail)
def show(name: str) -> Response:
    """Returns an account with its open sessions and its tokens; for operators."""
    ctx = context()
    with ctx.read() as session:
        return answered(users.user(session, viewer(session), name, now=ctx.now()))


@routes.get("/sessions")
@needs(Scope.OPERATE)
@routes.input(schemas.Page, location="query")
@routes.output(LoggedIn)
def list_logged_in(query_data: schemas.Page) -> Response:
    """Lists the browsers in which accounts are logged in, the last used first; for operators."""
    ctx, current, page = context(), session_number(), query_data.model_dump()
    with ctx.read() as session:
        found = users.logged_in(session, viewer(session), current, now=ctx.now(), **page)
        return answered(found)


@routes.delete("/users/<name:name>/sessions/<number:number>")
@needs(Scope.OPERATE)
@routes.output({}, status_code=204)
def end_session(name: str, number: int) -> ResponseReturnValue:
    """Logs one of the account's browsers out; for operators."""
    with acting() as (session, actor, now):
        account_operations.end_session(session, actor, name, number, now=now)
    return "", 204


@routes.delete("/users/<name:name>/tokens/<number:number>")
@needs(Scope.OPERATE)
@routes.output({}, status_code=204)
def revoke_token(name: str, number: int) -> ResponseReturnValue:
    """Revokes one of the account's tokens; for operators."""
    with acting() as (session, actor, now):
        account_operations.revoke_token(session, actor, name, number, now=now)
    return "", 204


@routes.post("/users")
@needs(Scope.OPERATE)
@routes.input(schemas.NewUser)
@routes.output(Account, status_code=201)
def create(json_data: schemas.NewUser) -> Response:
    """Makes an account for somebody else; for operators."""
    wanted = json_data.name, json_data.password, json_data.role
    user = accounts.create_user(signed_in(), acting, *wanted)
    return answered(queries.account(user), 201)


@routes.post("/users/<name:name>/reset")
@needs(Scope.OPERATE)
@routes.input(schemas.PasswordReset)
@routes.output(FreshAccount)
def reset(name: str, json_data: schemas.PasswordReset) -> Response:
    """Gives the account a new password, which is shown only once; for operators."""
    revoke = json_data.revoke_tokens
    fresh = account_operations.reset_password(signed_in(), acting, name, revoke=revoke)
    return answered(FreshAccount(name=name, password=fresh))


@routes.post("/users/<name:name>/password-link")
@needs(Scope.OPERATE)
@routes.output(PasswordLink, status_code=201)
def make_password_link(name: str) -> Response:
    """Makes a link that sets the account's password once, within an hour; for operators."""
    settings = context().settings
    with acting() as (session, actor, now):
        made = account_operations.make_password_link(
            session, actor, name, settings=settings, now=now
        )
    return answered(made, 201)


@routes.post("/users/<name:name>/data")
@needs(Scope.OPERATE)
@routes.doc(responses=described("A zip", ZIP))
def data(name: str) -> Response:
    """Returns all data of an account as a zip, and notes it in the audit log; for operators."""
    return handed_over_zip(name)


@routes.post("/users/<name:name>/role")
@needs(Scope.OPERATE)
@routes.input(schemas.NewRole)
@routes.output(Account)
def role(name: str, json_data: schemas.NewRole) -> Response:
    """Makes the account an author's or an operator's; for operators."""
    with acting() as (session, actor, now):
        user = account_operations.set_role(session, actor, name, json_data.role, now=now)
        return answered(queries.account(user))


@routes.post("/users/<name:name>/note")
@needs(Scope.OPERATE)
@routes.input(schemas.NewNote)
@routes.output(UserDetail)
def note(name: str, json_data: schemas.NewNote) -> Response:
    """Puts a note on the account, such as a pupil's real name; for operators."""
    with acting() as (session, actor, now):
        account_operations.set_note(session, actor, name, json_data.note, now=now)
        return answered(users.user(session, actor, name, now=now))


@routes.post("/users/<name:name>/close")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(Account)
def close(name: str, json_data: schemas.Reason) -> Response:
    """Closes the account; its bots play on only in frozen and running seasons. For operators."""
    with acting() as (session, actor, now):
        user = account_operations.close(session, actor, name, json_data.reason, now=now)
        return answered(queries.account(user))


@routes.post("/users/<name:name>/reopen")
@needs(Scope.OPERATE)
@routes.output(Account)
def reopen(name: str) -> Response:
    """Reopens a closed account; for operators."""
    with acting() as (session, actor, now):
        user = account_operations.reopen(session, actor, name, now=now)
        return answered(queries.account(user))


@routes.post("/users/<name:name>/delete")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(Account)
def delete(name: str, json_data: schemas.Reason) -> Response:
    """Deletes a closed account for ever; its bots' matches stay, under no name. For operators."""
    with acting() as (session, actor, now):
        user = account_deletion.delete_closed_account(
            session, actor, name, json_data.reason, now=now
        )
        return answered(queries.account(user))
