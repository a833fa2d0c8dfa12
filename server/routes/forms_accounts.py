"""The forms of accounts: log in and out, sign up, tokens, sessions, password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, flash, make_response, redirect, request
from flask import session as cookie

from dashboard import forms as pages
from dashboard import passwords
from dashboard.pages import own_path
from server.auth import acting, context, session_begun, session_number, signed_in
from server.login import end_session, forget_cookie, start_session
from server.openid_flow import BY_PROVIDER
from server.rate_limits import client_network
from server.routes.form_fields import field, form_of, go_to, secret_page, whole_or_none
from server.routes.source import the_source
from server.services import account_deletion, accounts, logins, password_links, sessions
from server.zips import personal_zip

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

    from dashboard.forms import Values
    from dashboard.source import Source

routes = Blueprint("forms_accounts", __name__)


def _login_again(source: Source, values: Values, error: str) -> str:
    return pages.login_page(source, values, error, own_path(field("next") or "/"))


@routes.post("/login")
@form_of(_login_again, forbidden=True)
def log_in() -> Response:
    """Logs in, then goes to the page that the visitor wanted."""
    ctx = context()
    user = logins.log_in(ctx, field("name"), field("password"), client_network())
    with ctx.write() as session:
        start_session(session, user)
    return redirect(own_path(field("next") or "/"), 303)


def _signup_again(source: Source, values: Values, error: str) -> str:
    return pages.signup_page(source, values, error, own_path(field("next") or pages.NEW_ACCOUNTS))


@routes.post("/signup")
@form_of(_signup_again, forbidden=True)
def sign_up() -> Response:
    """Makes an account, logs in to it, and goes to the page that the visitor wanted."""
    ctx = context()
    name, password, signup = field("name"), field("password"), ctx.settings.signup
    with ctx.write() as session:
        user = accounts.sign_up(session, name, password, signup=signup, now=ctx.now())
        start_session(session, user)
    return redirect(own_path(field("next") or pages.NEW_ACCOUNTS), 303)


@routes.post("/logout")
def log_out() -> Response:
    """Logs out. Tells those who logged in by a provider that they may still be logged in there."""
    by_provider = cookie.get(BY_PROVIDER, False) and context().settings.openid_issuer
    end_session()
    return go_to("pages.openid_out" if by_provider else "pages.home")


@routes.post("/first/<secret>")
@form_of(pages.claim_page, forbidden=True)
def claim(secret: str) -> Response:
    """Makes the first operator's account from the one-time link."""
    ctx = context()
    name, password = field("name"), field("password")
    with ctx.read() as session:
        accounts.check_link(session, secret)
    with ctx.write() as session:
        user = accounts.claim_operator(session, secret, name, password, now=ctx.now())
        start_session(session, user)
    return go_to("pages.admin")


@routes.post("/reset")
@form_of(passwords.forgotten_page, forbidden=True)
def request_link() -> Response:
    """Mails a link to set a new password; the answer is the same for an unknown address."""
    ctx = context()
    with ctx.write() as session:
        address, now = field("email").strip(), ctx.now()
        password_links.request_links(session, address, settings=ctx.settings, now=now)
    return make_response(passwords.forgotten_page(the_source(), sent=True))


@routes.post("/reset/<number:number>/<secret>")
@form_of(passwords.reset_page, forbidden=True)
def set_password(number: int, secret: str) -> Response:
    """Sets a new password by a mailed link, and logs in."""
    password, revoke = field("password"), field("revoke") == "yes"
    password_links.set_password(
        context(), number, secret, password, revoke=revoke, then=start_session
    )
    return go_to("pages.account")


@routes.post("/account/tokens")
@form_of(pages.account_page)
def make_token() -> Response:
    """Makes a token and shows its secret, once."""
    days = whole_or_none("days")
    with acting() as (session, actor, now):
        secret = accounts.make_token(
            session,
            actor,
            field("name"),
            scopes=request.form.getlist("scope"),
            days=accounts.TOKEN_DAYS if days is None else days,
            now=now,
        )
    return secret_page(pages.account_page(the_source(), new_token=secret))


@routes.post("/account/password")
@form_of(pages.account_page, forbidden=True)
def change_password() -> Response:
    """Sets a new password, ends all other sessions, and revokes the tokens if asked to."""
    actor, network = signed_in(), client_network()
    old, new, revoke = field("old"), field("new"), field("revoke") == "yes"
    begun, by_provider = session_begun(), cookie.get(BY_PROVIDER, False)
    logins.change_password(
        context(),
        actor,
        old,
        new,
        network=network,
        revoke=revoke,
        begun=begun,
        then=start_session,
    )
    if by_provider:  # The new session has begun with an empty cookie.
        cookie[BY_PROVIDER] = True
    flash("Your new password holds from now on.")
    return go_to("pages.account")


@routes.post("/account/sessions/<number:number>/end")
def end_one_session(number: int) -> Response:
    """Logs one of the account's browsers out."""
    with acting() as (session, actor, _):
        sessions.end(session, actor, number)
    return go_to("pages.account")


@routes.post("/account/sessions/end")
def end_other_sessions() -> Response:
    """Logs the account out of all browsers but this one."""
    with acting() as (session, actor, _):
        sessions.end_all(session, actor, but=session_number())
    return go_to("pages.account")


@routes.post("/account/tokens/<number:number>/revoke")
def revoke_token(number: int) -> Response:
    """Revokes a token."""
    with acting() as (session, actor, now):
        accounts.revoke_token(session, actor, number, now=now)
    return go_to("pages.account")


@routes.post("/account/data")
def data() -> Response:
    """Returns all data of the account as a zip."""
    return personal_zip(signed_in())


@routes.post("/account/delete")
@form_of(pages.account_page, forbidden=True)
def delete() -> Response:
    """Deletes the account, logs out, and says so."""
    password, network = field("password"), client_network()
    begun = session_begun()
    account_deletion.delete_account(context(), signed_in(), password, network=network, begun=begun)
    forget_cookie()
    return make_response(pages.deleted_page())


@routes.post("/account/sharing")
def share() -> Response:
    """Sets whether exported seasons include the account's bots."""
    with acting() as (_, actor, _now):
        accounts.share(actor, shares=field("shares") == "yes")
    return go_to("pages.account")
