"""Your inbox, and your webhooks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from apiflask import APIBlueprint
from flask import Response
from flask.typing import ResponseReturnValue
from pydantic import Field

from matchbox.answers.notices import (
    FreshWebhook,
    Mail,
    Marked,
    NoticeLine,
    Notices,
    Webhooks,
)
from server.auth import account, context
from server.queries import inbox
from server.routes.responses import answered
from server.routes.schemas import Body, Page, Whole
from server.scopes import Scope, needs
from server.services import contact, notices, webhooks

routes = APIBlueprint("notices", __name__, url_prefix="/api/v1", tag="Notices")


class NoticesPage(Page):
    """A page of your notices, of those that are unread where it says so."""

    unread: bool = False


class Newest(Body):
    """Up to which notice all are read; all of them where it is null."""

    newest: Whole | None = None


class NewWebhook(Body):
    """Where notices shall be posted."""

    url: Annotated[str, Field(max_length=500)]


class Muted(Body):
    """Which kinds of notices are not mailed."""

    muted: Annotated[list[Annotated[str, Field(max_length=32)]], Field(max_length=32)]


@routes.get("/notices")
@needs(Scope.READ)
@routes.input(NoticesPage, location="query")
@routes.output(Notices)
def list_notices(query_data: NoticesPage) -> Response:
    """Your notices, newest first."""
    with context().read() as session:
        return answered(inbox.inbox(session, account(session), **query_data.model_dump()))


@routes.post("/notices/<number:number>/read")
@needs(Scope.SUBMIT)
@routes.output(NoticeLine)
def mark_read(number: int) -> Response:
    """Marks a notice of yours as read."""
    made = context()
    with made.write() as session:
        row = notices.mark_read(session, account(session), number, now=made.now())
        return answered(inbox.notice(session, row))


@routes.post("/notices/read")
@needs(Scope.SUBMIT)
@routes.input(Newest)
@routes.output(Marked)
def mark_all_read(json_data: Newest) -> Response:
    """Marks all your notices as read, or those up to one."""
    made = context()
    with made.write() as session:
        count = notices.mark_all_read(session, account(session), json_data.newest, now=made.now())
    return answered(Marked(read=count))


@routes.get("/account/mail")
@needs(Scope.READ)
@routes.output(Mail)
def mail() -> Response:
    """Which of your notices are mailed, and where to."""
    with context().read() as session:
        return answered(inbox.mail(account(session)))


@routes.post("/account/mail")
@needs(Scope.SUBMIT)
@routes.input(Muted)
@routes.output(Mail)
def set_mail(json_data: Muted) -> Response:
    """Says which kinds of notices are not mailed to you; your inbox has them all."""
    mute(json_data.muted)
    with context().read() as session:
        return answered(inbox.mail(account(session)))


@routes.get("/webhooks")
@needs(Scope.READ)
@routes.output(Webhooks)
def list_webhooks() -> Response:
    """Your webhooks, without their secrets."""
    with context().read() as session:
        mine = webhooks.listed(session, account(session))
        items = [inbox.webhook(row) for row in mine]
        return answered(Webhooks(items=items, next=None))


@routes.post("/webhooks")
@needs(Scope.SUBMIT)
@routes.input(NewWebhook)
@routes.output(FreshWebhook, status_code=201)
def add_webhook(json_data: NewWebhook) -> Response:
    """Has your notices posted to a URL; the secret that signs them is shown this once."""
    return answered(fresh_webhook(json_data.url), 201)


@routes.delete("/webhooks/<number:number>")
@needs(Scope.SUBMIT)
@routes.output({}, status_code=204)
def remove_webhook(number: int) -> ResponseReturnValue:
    """Posts no more of your notices there."""
    take_away(number)
    return "", 204


def mute(kinds: Collection[str]) -> None:
    """Mails who asks no more notices of these kinds."""
    with context().write() as session:
        contact.mute(session, account(session), kinds)


def fresh_webhook(url: str) -> FreshWebhook:
    """A new webhook of who asks, with its secret."""
    made = context()
    with made.write() as session:
        user = account(session)
        row = webhooks.add(session, user, url, settings=made.settings, now=made.now())
        return inbox.fresh_webhook(row)


def take_away(number: int) -> None:
    """Removes a webhook of who asks."""
    with context().write() as session:
        webhooks.remove(session, account(session), number)
