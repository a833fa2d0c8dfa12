"""`matchbox inbox` and `matchbox webhook ...`: an account's notices, and the webhooks that they go
to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli import output
from cli.playing import JsonOption
from cli.remote import connect

if TYPE_CHECKING:
    from matchbox.answers.notices import WebhookLine

webhook = typer.Typer(help="Have your notices posted elsewhere.", no_args_is_help=True)
WebhookArgument = Annotated[int, typer.Argument(min=1, help="its number, as listed")]


def inbox(
    unread: Annotated[bool, typer.Option("--unread", help="only unread notices")] = False,
    read: Annotated[
        bool, typer.Option("--read", help="mark the newest and all before it as read")
    ] = False,
    most: Annotated[int, typer.Option(min=1, max=1000, help="show at most this many")] = 20,
    json: JsonOption = False,
) -> None:
    """Show your notices, newest first."""
    from matchbox.answers.notices import Marked, NoticeLine

    with connect() as client:
        listed = client.answers(NoticeLine, "/notices", unread=unread or None)
        notices = output.first(listed, most)
        if read and notices:
            client.post(Marked, "/notices/read", {"newest": notices[0].id})
    rows = [("" if one.read_at else "new", one.at, one.text) for one in notices]
    output.listing(notices, ("", "when", "notice"), rows, json)


@webhook.command()
def add(
    url: Annotated[str, typer.Argument(help="where notices are posted, as https://...")],
    json: JsonOption = False,
) -> None:
    """Post notices to a URL, signed with a secret that is shown only once."""
    from matchbox.answers.notices import FreshWebhook

    with connect() as client:
        added = client.post(FreshWebhook, "/webhooks", {"url": url})
    if json:
        output.document(added.plain())
    else:
        print(f"id: {added.id}\nsecret: {added.secret}")


@webhook.command("list")
def list_webhooks(json: JsonOption = False) -> None:
    """List your webhooks with their last arrival and any trouble."""
    from matchbox.answers.notices import WebhookLine

    with connect() as client:
        webhooks = list(client.answers(WebhookLine, "/webhooks"))
    columns = ("id", "url", "last arrival", "trouble")
    rows = [(one.id, one.url, one.arrived_at, _trouble(one)) for one in webhooks]
    output.listing(webhooks, columns, rows, json)


@webhook.command()
def remove(number: WebhookArgument, json: JsonOption = False) -> None:
    """Remove a webhook."""
    with connect() as client:
        client.delete(f"/webhooks/{number}")
    output.outcome({"removed": number}, f"webhook {number} is removed", json)


def _trouble(one: WebhookLine) -> str:
    return f"disabled: {one.trouble}" if one.disabled_at else one.trouble
