"""Your inbox, and your webhooks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

from apiflask import APIBlueprint
from flask import Response
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, Field

from server.auth import account, context
from server.queries import inbox
from server.routes.asked import Body, Page, Whole
from server.routes.responses import whole_list
from server.routes.told import Answer
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


class Mail(Answer):
    """Where notices are mailed (null for nowhere), which kinds there are, which are not mailed."""

    email: str | None
    kinds: list[str]
    muted: list[str]


class NoticeLine(Answer):
    """Something that you were told; `path` is the page that it is about."""

    id: int
    kind: str
    subject: str
    text: str
    path: str
    at: str
    read_at: str | None


class Notices(Answer):
    """A page of your notices, newest first."""

    items: list[NoticeLine]
    next: str | None
    unread: int


class Marked(BaseModel):
    """How many notices were unread before."""

    read: int


class WebhookLine(Answer):
    """A webhook; `disabled_at` is null while notices are posted to it."""

    id: int
    url: str
    created_at: str
    arrived_at: str | None
    disabled_at: str | None
    trouble: str


class FreshWebhook(WebhookLine):
    """A webhook and the secret that signs, shown this once."""

    secret: str


class Webhooks(Answer):
    """Your webhooks."""

    items: list[WebhookLine]
    next: str | None


@routes.get("/notices")
@needs(Scope.READ)
@routes.input(NoticesPage, location="query")
@routes.output(Notices)
def list_notices(query_data: NoticesPage) -> dict[str, Any]:
    """Your notices, newest first."""
    with context().read() as books:
        return inbox.inbox(books, account(books), **query_data.model_dump())


@routes.post("/notices/<number:number>/read")
@needs(Scope.SUBMIT)
@routes.output(NoticeLine)
def mark_read(number: int) -> dict[str, Any]:
    """Marks a notice of yours as read."""
    made = context()
    with made.write() as books:
        row = notices.mark_read(books, account(books), number, now=made.now())
        return inbox.notice(books, row)


@routes.post("/notices/read")
@needs(Scope.SUBMIT)
@routes.input(Newest)
@routes.output(Marked)
def mark_all_read(json_data: Newest) -> dict[str, Any]:
    """Marks all your notices as read, or those up to one."""
    made = context()
    with made.write() as books:
        count = notices.mark_all_read(books, account(books), json_data.newest, now=made.now())
    return {"read": count}


@routes.get("/account/mail")
@needs(Scope.READ)
@routes.output(Mail)
def mail() -> dict[str, Any]:
    """Which of your notices are mailed, and where to."""
    with context().read() as books:
        return inbox.mail(account(books))


@routes.post("/account/mail")
@needs(Scope.SUBMIT)
@routes.input(Muted)
@routes.output(Mail)
def set_mail(json_data: Muted) -> dict[str, Any]:
    """Says which kinds of notices are not mailed to you; your inbox has them all."""
    mute(json_data.muted)
    with context().read() as books:
        return inbox.mail(account(books))


@routes.get("/webhooks")
@needs(Scope.READ)
@routes.output(Webhooks)
def list_webhooks() -> Response:
    """Your webhooks, without their secrets."""
    with context().read() as books:
        mine = webhooks.listed(books, account(books))
        return whole_list([inbox.webhook(row) for row in mine])


@routes.post("/webhooks")
@needs(Scope.SUBMIT)
@routes.input(NewWebhook)
@routes.output(FreshWebhook, status_code=201)
def add_webhook(json_data: NewWebhook) -> ResponseReturnValue:
    """Has your notices posted to a URL; the secret that signs them is shown this once."""
    return fresh_webhook(json_data.url), 201


@routes.delete("/webhooks/<number:number>")
@needs(Scope.SUBMIT)
@routes.output({}, status_code=204)
def remove_webhook(number: int) -> ResponseReturnValue:
    """Posts no more of your notices there."""
    take_away(number)
    return "", 204


def mute(kinds: Collection[str]) -> None:
    """Mails who asks no more notices of these kinds."""
    with context().write() as books:
        contact.mute(books, account(books), kinds)


def fresh_webhook(url: str) -> dict[str, Any]:
    """A new webhook of who asks, with its secret."""
    made = context()
    with made.write() as books:
        user = account(books)
        row = webhooks.add(books, user, url, settings=made.settings, now=made.now())
        return {**inbox.webhook(row), "secret": row.secret}


def take_away(number: int) -> None:
    """Removes a webhook of who asks."""
    with context().write() as books:
        webhooks.remove(books, account(books), number)
