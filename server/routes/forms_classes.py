"""The forms of a league's class: join it, its code, its accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, g, make_response, redirect, url_for

from dashboard import classes as pages
from matchbox.errors import BadNames
from server.auth import acting, context, signed_in, visitor
from server.login import start_session
from server.queries import classes as queries
from server.routes.form_fields import field, form_of, go_to, secret_page, submitted
from server.routes.source import the_source
from server.services import classes

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_classes", __name__)


@routes.post("/join/<code:code>")
@form_of(pages.join_page, forbidden=True, reveals=True)
def join(code: str) -> Response:
    """Joins the league that has this code, with a new account or with the viewer's."""
    ctx = context()
    if visitor() is not None:
        with acting() as (session, actor, now):
            league = classes.join(session, actor, code, now=now)
    else:
        with ctx.write() as session:
            name, password = field("name"), field("password")
            user = classes.sign_up(session, code, name, password, now=ctx.now())
            league = classes.league_of(session, code)
            start_session(session, user)
    return redirect(url_for("pages.submit", game=league.game), 303)


@routes.post("/leagues/<league:name>/code")
@form_of(pages.class_page)
def renew_code(name: str) -> Response:
    """Gives the league a new code."""
    with acting() as (session, actor, now):
        classes.renew_code(session, actor, name, now=now)
    return go_to("pages.league_class", name=name, _anchor="code")


@routes.post("/leagues/<league:name>/code/withdraw")
@form_of(pages.class_page)
def withdraw_code(name: str) -> Response:
    """Makes the league's code stop working."""
    with acting() as (session, actor, now):
        classes.withdraw_code(session, actor, name, now=now)
    return go_to("pages.league_class", name=name)


@routes.post("/leagues/<league:name>/accounts")
@form_of(pages.class_page)
def make_accounts(name: str) -> Response:
    """Makes an account for each name of the list, and shows the passwords once."""
    try:
        names, notes = classes.read_list(field("names"))
        made = classes.make_accounts(context(), signed_in(), acting, name, names, notes)
    except BadNames as error:
        g.wrong_fields = ("names",)
        page = pages.class_page(
            the_source(), name, values=submitted(), error=_SUMMARY, refused=error.refused
        )
        return make_response(page, 422)
    return secret_page(pages.passwords_page(queries.fresh_accounts(name, made)))


_SUMMARY = (
    "no account was made, because of these names; correct the list and send it again (a real name "
    "may follow the account's name and a comma)"
)
