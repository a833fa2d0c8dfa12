"""The forms of notices: mark as read, choose the kinds to mail, add and remove webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, request

from dashboard import forms as pages
from matchbox.answers.notices import MAY_BE_MUTED
from matchbox.whole_numbers import whole_number
from server.auth import acting, context, session_begun, signed_in
from server.queries import inbox
from server.rate_limits import client_network
from server.routes.form_fields import field, form_of, go_to, secret_page
from server.routes.source import the_source
from server.services import contact, logins, notices, webhooks

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_notices", __name__)


@routes.post("/inbox/<number:number>/read")
def mark_read(number: int) -> Response:
    """Marks a notice as read."""
    with acting() as (session, actor, now):
        notices.mark_read(session, actor, number, now=now)
    return go_to("pages.inbox", cursor=field("cursor") or None, _anchor=f"notice-{number}")


@routes.post("/inbox/read")
def mark_all_read() -> Response:
    """Marks the notices that the page showed, and all older ones, as read."""
    newest = whole_number(field("newest"), 15) or 0
    with acting() as (session, actor, now):
        notices.mark_all_read(session, actor, newest, now=now)
    return go_to("pages.inbox")


@routes.post("/account/email")
@form_of(pages.account_page, forbidden=True)
def request_confirmation() -> Response:
    """Sends a confirmation link to the address that was entered, if the password is right."""
    network, begun = client_network(), session_begun()
    logins.confirm(context(), signed_in(), field("password"), network=network, begun=begun)
    with acting() as (session, actor, now):
        address, settings = field("email").strip(), context().settings
        contact.request_confirmation(session, actor, address, settings=settings, now=now)
    return go_to("pages.account")


@routes.post("/account/email/clear")
def clear_email() -> Response:
    """Stops mailing notices."""
    with acting() as (session, actor, now):
        contact.clear(session, actor, now=now)
    return go_to("pages.account")


@routes.post("/account/email/kinds")
@form_of(pages.account_page)
def choose_kinds() -> Response:
    """Sets the kinds of notices to mail: those that were ticked, and no others."""
    with acting() as (session, actor, _):
        contact.mute(session, actor, set(MAY_BE_MUTED) - set(request.form.getlist("kind")))
    return go_to("pages.account")


@routes.post("/account/email/<secret>")
def confirm_email(secret: str) -> Response:
    """Confirms the address that the link was sent to; notices are mailed there from now on."""
    with acting() as (session, actor, now):
        contact.confirm(session, actor, secret, settings=context().settings, now=now)
    return go_to("pages.account")


@routes.post("/account/webhooks")
@form_of(pages.account_page)
def add_webhook() -> Response:
    """Adds a webhook and shows its secret, once."""
    with acting() as (session, actor, now):
        url, settings = field("url").strip(), context().settings
        made = inbox.fresh_webhook(webhooks.add(session, actor, url, settings=settings, now=now))
    return secret_page(pages.account_page(the_source(), new_webhook=made))


@routes.post("/account/webhooks/<number:number>/remove")
def remove_webhook(number: int) -> Response:
    """Removes a webhook."""
    with acting() as (session, actor, _):
        webhooks.remove(session, actor, number)
    return go_to("pages.account")
