"""What the forms of the inbox and of the account's page do to notices and their ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, make_response, request

from dashboard import forms as pages
from matchbox.answers.notices import MUTABLE
from matchbox.errors import CallerFault
from server.auth import account, context
from server.routes.api_notices import fresh_webhook, mute, take_away
from server.routes.forms import field, go_to, told_or_raised, typed
from server.routes.source import the_source
from server.services import contact, notices

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_notices", __name__)


@routes.post("/inbox/<number:number>/read")
def mark_read(number: int) -> Response:
    """Marks a notice as read."""
    made = context()
    with made.write() as session:
        notices.mark_read(session, account(session), number, now=made.now())
    return go_to("pages.inbox")


@routes.post("/inbox/read")
def mark_all_read() -> Response:
    """Marks as read what the page showed, and what is older."""
    made, newest = context(), field("newest")
    with made.write() as session:
        seen = int(newest) if newest.isascii() and newest.isdecimal() else 0
        notices.mark_all_read(session, account(session), min(seen, 2**53), now=made.now())
    return go_to("pages.inbox")


@routes.post("/account/email")
def ask_email() -> Response:
    """Has a link sent to the address that was typed."""
    made = context()
    try:
        with made.write() as session:
            user = account(session)
            address = field("email").strip()
            contact.ask(session, user, address, settings=made.settings, now=made.now())
    except CallerFault as error:
        return told_or_raised(error, typed())
    return go_to("pages.account")


@routes.post("/account/email/clear")
def clear_email() -> Response:
    """Mails no more notices."""
    with context().write() as session:
        contact.clear(session, account(session))
    return go_to("pages.account")


@routes.post("/account/email/kinds")
def choose_kinds() -> Response:
    """Mails notices of the kinds that were ticked, and no others."""
    mute(set(MUTABLE) - set(request.form.getlist("kind")))
    return go_to("pages.account")


@routes.post("/account/email/<secret>")
def confirm_email(secret: str) -> Response:
    """Mails notices from now on to the address that the link was sent to."""
    made = context()
    with made.write() as session:
        user = account(session)
        contact.confirm(session, user, secret, settings=made.settings, now=made.now())
    return go_to("pages.account")


@routes.post("/account/webhooks")
def add_webhook() -> Response:
    """Adds a webhook, and shows its secret this once."""
    try:
        made = fresh_webhook(field("url").strip())
    except CallerFault as error:
        return told_or_raised(error, typed())
    response = make_response(pages.account_page(the_source(), new_webhook=made))
    response.headers["Cache-Control"] = "no-store"
    return response


@routes.post("/account/webhooks/<number:number>/remove")
def remove_webhook(number: int) -> Response:
    """Posts no more notices there."""
    take_away(number)
    return go_to("pages.account")
