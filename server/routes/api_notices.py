"""Your inbox, and your webhooks."""

from __future__ import annotations

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
from server.auth import account, acting, context
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
    with acting() as (session, actor, now):
        row = notices.mark_read(session, actor, number, now=now)
        return answered(inbox.notice(session, row))


@routes.post("/notices/read")
@needs(Scope.SUBMIT)
@routes.input(Newest)
@routes.output(Marked)
def mark_all_read(json_data: Newest) -> Response:
    """Marks all your notices as read, or those up to one."""
    with acting() as (session, actor, now):
        count = notices.mark_all_read(session, actor, json_data.newest, now=now)
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
    with acting() as (session, actor, _):
        contact.mute(session, actor, json_data.muted)
        return answered(inbox.mail(actor))


@routes.get("/webhooks")
@needs(Scope.READ)
@routes.output(Webhooks)
def list_webhooks() -> Response:
    """Your webhooks, without their secrets."""
    with context().read() as session:
        return answered(Webhooks(items=inbox.webhook_lines(session, account(session)), next=None))


@routes.post("/webhooks")
@needs(Scope.SUBMIT)
@routes.input(NewWebhook)
@routes.output(FreshWebhook, status_code=201)
def add_webhook(json_data: NewWebhook) -> Response:
    """Has your notices posted to a URL; the secret that signs them is shown this once."""
    with acting() as (session, actor, now):
        row = webhooks.add(session, actor, json_data.url, settings=context().settings, now=now)
        return answered(inbox.fresh_webhook(row), 201)


@routes.delete("/webhooks/<number:number>")
@needs(Scope.SUBMIT)
@routes.output({}, status_code=204)
def remove_webhook(number: int) -> ResponseReturnValue:
    """Stops posting your notices there."""
    with acting() as (session, actor, _):
        webhooks.remove(session, actor, number)
    return "", 204
