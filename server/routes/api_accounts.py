"""Accounts and their tokens."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response
from flask.typing import ResponseReturnValue

from matchbox.errors import Forbidden
from server import queries
from server.auth import account, context, operator
from server.routes import asked, told
from server.routes.lists import whole_list
from server.services import accounts

routes = APIBlueprint("accounts", __name__, url_prefix="/api/v1", tag="Accounts")
OPEN: Any = [{}]
"""For who is not logged in yet."""


@routes.get("/whoami")
@routes.output(told.Account)
def whoami() -> dict[str, Any]:
    """The account that asks."""
    with context().read() as books:
        user = account(books)
        return {"name": user.name, "role": user.role}


@routes.post("/login")
@routes.input(asked.LogIn)
@routes.output(told.FreshToken, status_code=201)
@routes.doc(security=OPEN)
def log_in(json_data: asked.LogIn) -> ResponseReturnValue:
    """A new token for a name and its password; the secret is shown this once."""
    made = context()
    with made.read() as books:
        known = accounts.log_in(books, json_data.name, json_data.password).id
    with made.write() as books:
        user = accounts.user_by_id(books, known)
        if user is None:
            raise Forbidden("the name or the password is wrong")
        secret = accounts.make_token(books, user, json_data.label, now=made.now())
        return {"token": secret, "account": user.name, "role": user.role}, 201


@routes.post("/accounts")
@routes.input(asked.Credentials)
@routes.output(told.Account, status_code=201)
@routes.doc(security=OPEN)
def sign_up(json_data: asked.Credentials) -> ResponseReturnValue:
    """A new author's account, where sign-up is open."""
    made = context()
    if made.settings.signup != "open":
        raise Forbidden("sign-up is closed here; ask an operator for an account")
    with made.write() as books:
        user = accounts.sign_up(books, json_data.name, json_data.password, now=made.now())
        return {"name": user.name, "role": user.role}, 201


@routes.post("/users")
@routes.input(asked.NewUser)
@routes.output(told.Account, status_code=201)
def create_user(json_data: asked.NewUser) -> ResponseReturnValue:
    """An account made by an operator."""
    made = context()
    with made.read() as books:
        operator(books)
    with made.write() as books:
        user = accounts.create_user(
            books,
            account(books),
            json_data.name,
            json_data.password,
            json_data.role,
            now=made.now(),
        )
        return {"name": user.name, "role": user.role}, 201


@routes.get("/tokens")
@routes.output(told.Tokens)
def list_tokens() -> Response:
    """Your tokens that work, without their secrets."""
    with context().read() as books:
        return whole_list(queries.tokens(books, account(books)))


@routes.post("/tokens")
@routes.input(asked.NewToken)
@routes.output(told.FreshToken, status_code=201)
def make_token(json_data: asked.NewToken) -> ResponseReturnValue:
    """A new token; the secret is shown this once."""
    made = context()
    with made.write() as books:
        user = account(books)
        secret = accounts.make_token(books, user, json_data.name, now=made.now())
        return {"token": secret, "account": user.name, "role": user.role}, 201


@routes.delete("/tokens/<number:number>")
@routes.output({}, status_code=204)
def revoke_token(number: int) -> ResponseReturnValue:
    """Makes a token of yours stop working."""
    made = context()
    with made.write() as books:
        accounts.revoke_token(books, account(books), number, now=made.now())
    return "", 204
