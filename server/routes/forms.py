"""What the pages' forms do to an account: in, out, new, tokens. Fields as the templates say.

Knows forms and services; a form that was wrong is shown again with a sentence, its passwords gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, make_response, redirect, request, url_for

from dashboard import forms as pages
from dashboard.pages import own_path
from matchbox.errors import CallerFault, Forbidden, MatchboxError
from server.auth import (
    account,
    context,
    end_session,
    require_account,
    start_session,
    visitor,
)
from server.problems import status_of
from server.rate_limits import client_network
from server.routes.api_accounts import new_password
from server.routes.source import the_source
from server.services import accounts, logins, sessions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.wrappers import Response

SECRETS = ("password", "old", "new", "csrf_token")

routes = Blueprint("forms", __name__)


def typed() -> Mapping[str, str]:
    """What was typed, without what is never given back."""
    return {name: text for name, text in request.form.items() if name not in SECRETS}


def field(name: str) -> str:
    """The text of a field; empty where there is none."""
    return request.form.get(name, "")


def shown_again(page: str, error: MatchboxError) -> Response:
    """The form with what was wrong, under the error's status."""
    return make_response(page, status_of(error))


def go_to(endpoint: str, **parts: object) -> Response:
    """To a page of ours, by GET."""
    return redirect(url_for(endpoint, **parts), 303)  # type: ignore[arg-type]


@routes.post("/login")
def log_in() -> Response:
    """Logs in, and goes where the visitor wanted to go."""
    made = context()
    after, name = own_path(field("next") or "/"), field("name")
    try:
        with logins.counted(made, name, client_network()), made.read() as session:
            user = accounts.log_in(session, name, field("password"))
    except CallerFault as error:
        return shown_again(pages.login_page(typed(), str(error), after), error)
    start_session(user)
    return redirect(after, 303)


@routes.post("/signup")
def sign_up() -> Response:
    """Makes an account, and logs in to it."""
    made = context()
    try:
        if made.settings.signup != "open":
            raise Forbidden("sign-up is closed here; ask an operator for an account")
        with made.write() as session:
            user = accounts.sign_up(session, field("name"), field("password"), now=made.now())
    except CallerFault as error:
        return shown_again(pages.signup_page(typed(), str(error)), error)
    start_session(user)
    return go_to("pages.submit")


@routes.post("/logout")
def log_out() -> Response:
    """Logs out."""
    end_session()
    return go_to("pages.home")


@routes.post("/first/<secret>")
def claim(secret: str) -> Response:
    """Makes the first operator's account by the one-time link."""
    made = context()
    name, password = field("name"), field("password")
    try:
        with made.write() as session:
            user = accounts.claim_operator(session, secret, name, password, now=made.now())
    except CallerFault as error:
        return shown_again(pages.claim_page(the_source(), secret, typed(), str(error)), error)
    start_session(user)
    return go_to("pages.admin")


@routes.post("/account/tokens")
def make_token() -> Response:
    """Makes a token, and shows its secret this once."""
    made = context()
    try:
        with made.write() as session:
            secret = accounts.make_token(
                session,
                account(session),
                field("name"),
                now=made.now(),
                scopes=request.form.getlist("scope"),
                days=request.form.get("days", accounts.TOKEN_DAYS, int),
            )
    except CallerFault as error:
        return told_or_raised(error)
    response = make_response(pages.account_page(the_source(), new_token=secret))
    response.headers["Cache-Control"] = "no-store"
    return response


@routes.post("/account/password")
def change_password() -> Response:
    """Sets a new password; every other browser is logged out, and tokens end where asked."""
    require_account()
    try:
        new_password(field("old"), field("new"), revoke=field("revoke") == "yes")
    except CallerFault as error:
        return shown_again(pages.account_page(the_source(), str(error)), error)
    return go_to("pages.account")


@routes.post("/account/sessions/<number:number>/end")
def end_one_session(number: int) -> Response:
    """Logs one of the account's browsers out."""
    with context().write() as session:
        sessions.end(session, account(session), number)
    return go_to("pages.account")


@routes.post("/account/sessions/end")
def end_other_sessions() -> Response:
    """Logs all of the account's browsers out but this one."""
    asking = visitor()
    with context().write() as session:
        sessions.end_all(session, account(session), but=asking.session if asking else None)
    return go_to("pages.account")


@routes.post("/account/tokens/<number:number>/revoke")
def revoke_token(number: int) -> Response:
    """Makes a token stop working."""
    made = context()
    with made.write() as session:
        accounts.revoke_token(session, account(session), number, now=made.now())
    return go_to("pages.account")


def told_or_raised(error: CallerFault, values: Mapping[str, str] | None = None) -> Response:
    """The account's page with what was wrong; an error page for who has no account."""
    if isinstance(error, Forbidden):
        raise error
    return shown_again(pages.account_page(the_source(), str(error), values=values), error)
