"""Your inbox, and your webhooks."""

from __future__ import annotations

from typing import Annotated

from apiflask import APIBlueprint
from flask import Response
from flask.typing import ResponseReturnValue
from pydantic import Field

from matchbox.answers.notices import FreshWebhook, Mail, Marked, NoticeLine, Notices, Webhooks
from server.auth import account, acting, context
from server.queries import inbox
from server.routes.responses import answered
from server.routes.schemas import Body, Page, Whole
from server.scopes import Scope, needs
from server.services import contact, notices, webhooks

routes = APIBlueprint("notices", __name__, url_prefix="/api/v1", tag="Notices")


class NoticesPage(Page):
    """A page of your notices; with `unread`, only the unread ones."""

    unread: bool = False


class Newest(Body):
    """Marks the notices up to `newest` as read; all of them if it is null."""

    newest: Whole | None = None


class NewWebhook(Body):
    """The URL to which notices are posted."""

    url: Annotated[str, Field(max_length=500)]


class Muted(Body):
    """The kinds of notices that are not mailed."""

    muted: Annotated[list[Annotated[str, Field(max_length=32)]], Field(max_length=32)]


@routes.get("/notices")
@needs(Scope.READ)
@routes.input(NoticesPage, location="query")
@routes.output(Notices)
def list_notices(query_data: NoticesPage) -> Response:
    """Lists your notices, newest first."""
    with context().read() as session:
        return answered(inbox.inbox(session, account(session), **query_data.model_dump()))


@routes.post("/notices/<number:number>/read")
@needs(Scope.SUBMIT)
@routes.output(NoticeLine)
def mark_read(number: int) -> Response:
    """Marks one of your notices as read."""
    with acting() as (session, actor, now):
        row = notices.mark_read(session, actor, number, now=now)
        return answered(inbox.notice(session, row))


@routes.post("/notices/read")
@needs(Scope.SUBMIT)
@routes.input(Newest)
@routes.output(Marked)
def mark_all_read(json_data: Newest) -> Response:
    """Marks your notices as read: all of them, or those up to a given one."""
    with acting() as (session, actor, now):
        count = notices.mark_all_read(session, actor, json_data.newest, now=now)
    return answered(Marked(read=count))


@routes.get("/account/mail")
@needs(Scope.READ)
@routes.output(Mail)
def mail() -> Response:
    """Returns your e-mail address for notices, and the kinds that are not mailed."""
    with context().read() as session:
        return answered(inbox.mail(account(session)))


@routes.post("/account/mail")
@needs(Scope.SUBMIT)
@routes.input(Muted)
@routes.output(Mail)
def set_mail(json_data: Muted) -> Response:
    """Sets the kinds of notices that are not mailed to you; all notices stay in your inbox."""
    with acting() as (session, actor, _):
        contact.mute(session, actor, json_data.muted)
        return answered(inbox.mail(actor))


@routes.get("/webhooks")
@needs(Scope.READ)
@routes.output(Webhooks)
def list_webhooks() -> Response:
    """Lists your webhooks, without their secrets."""
    with context().read() as session:
        return answered(Webhooks(items=inbox.webhook_lines(session, account(session)), next=None))


@routes.post("/webhooks")
@needs(Scope.SUBMIT)
@routes.input(NewWebhook)
@routes.output(FreshWebhook, status_code=201)
def add_webhook(json_data: NewWebhook) -> Response:
    """Adds a webhook that posts your notices to a URL; its secret is shown only once."""
    with acting() as (session, actor, now):
        row = webhooks.add(session, actor, json_data.url, settings=context().settings, now=now)
        return answered(inbox.fresh_webhook(row), 201)


@routes.delete("/webhooks/<number:number>")
@needs(Scope.SUBMIT)
@routes.output({}, status_code=204)
def remove_webhook(number: int) -> ResponseReturnValue:
    """Removes a webhook; your notices are no longer posted to it."""
    with acting() as (session, actor, _):
        webhooks.remove(session, actor, number)
    return "", 204
