"""Logging in with an OpenID Connect provider, and linking one to an account.

First, /login/openid sends the browser to the provider, which sends it back to /login/openid/back. A
visitor with an account here is logged in. Others go to /login/openid/new. There a new visitor
chooses a name; a visitor who is logged in already enters the password, to let this identity log in
to the account.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, g, redirect, request
from flask import session as cookie

from dashboard import openid as pages
from dashboard.forms import account_page, login_page
from dashboard.pages import own_path
from matchbox.errors import Conflict
from server import openid_flow
from server.auth import acting, context, session_begun, signed_in, visitor
from server.login import start_session
from server.rate_limits import client_network
from server.routes.form_fields import field, form_of, go_to
from server.services import accounts, identities, logins

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

    from dashboard.forms import Values
    from dashboard.source import Source

routes = Blueprint("forms_openid", __name__)


def _login_again(source: Source, values: Values, error: str) -> str:
    return login_page(source, {}, error, g.get("openid_after", "/"))


@routes.get("/login/openid")
@form_of(_login_again, forbidden=True)
def begin() -> Response:
    """Sends the browser to the provider; with `again`, to choose an account there."""
    g.openid_after = after = own_path(request.args.get("next", "/"))
    start = openid_flow.provider().start(ask_again="again" in request.args)
    openid_flow.remember_start(start, after)
    return _unstored(redirect(start.url, 303))


@routes.get("/login/openid/back")
@form_of(_login_again, forbidden=True)
def come_back() -> Response:
    """Logs in a visitor whose identity has an account; sends others to /login/openid/new."""
    provider = openid_flow.provider()
    start, after = openid_flow.take_start(request.args.get("state", ""))
    g.openid_after = after
    ctx, asking = context(), visitor()
    known = provider.finish(request.args.to_dict(), start, now=ctx.now())
    with ctx.write() as session:
        user = identities.log_in(session, known, now=ctx.now())
        if user is not None:
            if asking is not None and asking.id != user.id:
                raise Conflict(f"this identity belongs to the account {user.name}; log out first")
            start_session(session, user)
    if user is None:
        openid_flow.remember_identity(known, after)
        return _unstored(go_to("pages.openid_new"))
    cookie[openid_flow.BY_PROVIDER] = True
    return _unstored(redirect(after, 303))


@routes.post("/login/openid/new")
@form_of(pages.new_page, forbidden=True)
def sign_up() -> Response:
    """Makes an account for the identity, and logs in to it."""
    known, after = openid_flow.need_identity()
    ctx, name = context(), field("name")
    with ctx.write() as session:
        now = ctx.now()
        user = identities.sign_up(session, known, name, settings=ctx.settings, now=now)
        start_session(session, user)
    cookie[openid_flow.BY_PROVIDER] = True
    return redirect(after, 303)


@routes.post("/login/openid/link")
@form_of(pages.new_page, forbidden=True)
def link() -> Response:
    """Links the identity to an account: the visitor's, or that of the name, by its password."""
    known, after = openid_flow.need_identity()
    ctx, network, password = context(), client_network(), field("password")
    stranger = visitor() is None
    if stranger:
        user = logins.log_in(ctx, field("account"), password, network)
    else:
        user = signed_in()
        logins.confirm(ctx, user, password, network=network, begun=session_begun())
    with ctx.write() as session:
        actor, label = accounts.same_password(session, user), ctx.settings.openid_label
        identities.link(session, actor, known, label=label, now=ctx.now())
        if stranger:
            start_session(session, actor)
    openid_flow.forget_identity()
    cookie[openid_flow.BY_PROVIDER] = True
    return redirect(after, 303)


@routes.post("/account/identities/<number:number>/unlink")
@form_of(account_page, without=["number"], forbidden=True)
def unlink(number: int) -> Response:
    """Removes the link between an identity and the account."""
    network, begun = client_network(), session_begun()
    logins.confirm(context(), signed_in(), field("password"), network=network, begun=begun)
    with acting() as (session, actor, now):
        issuer, label = context().settings.openid_issuer, context().settings.openid_label
        identities.unlink(session, actor, number, issuer=issuer, label=label, now=now)
    return go_to("pages.account")


def _unstored(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
