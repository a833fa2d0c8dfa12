"""`matchbox inbox` and `matchbox webhook ...`: an account's notices, and where else they go."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import output
from cli.playing import JsonOption
from cli.remote import connect

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
    """Show your notices of bots and seasons, newest first."""
    with connect() as client:
        asked = {"unread": "true"} if unread else {}
        items = list(client.items("/notices", most, **asked))
        if read and items:
            client.post("/notices/read", {"newest": items[0]["id"]})
    if json:
        output.document(items)
        return
    rows = [("" if item["read_at"] else "new", item["at"], item["text"]) for item in items]
    output.table(("", "when", "notice"), rows)


@webhook.command()
def add(
    url: Annotated[str, typer.Argument(help="where notices are posted, as https://...")],
    json: JsonOption = False,
) -> None:
    """Post notices to a URL, signed with a secret that is shown only once."""
    with connect() as client:
        made = client.post("/webhooks", {"url": url})
    if json:
        output.document(made)
    else:
        print(f"id: {made['id']}\nsecret: {made['secret']}")


@webhook.command("list")
def list_webhooks(json: JsonOption = False) -> None:
    """List your webhooks with their last arrival and any trouble."""
    with connect() as client:
        items = list(client.items("/webhooks"))
    if json:
        output.document(items)
        return
    columns = ("id", "url", "last arrival", "trouble")
    rows = [(one["id"], one["url"], one["arrived_at"], _trouble(one)) for one in items]
    output.table(columns, rows)


@webhook.command()
def remove(number: WebhookArgument, json: JsonOption = False) -> None:
    """Remove a webhook."""
    with connect() as client:
        client.delete(f"/webhooks/{number}")
    if json:
        output.document({"removed": number})
    else:
        output.note(f"webhook {number} is removed")


def _trouble(one: dict[str, object]) -> str:
    return f"disabled: {one['trouble']}" if one["disabled_at"] else str(one["trouble"])
