"""`matchbox admin arena ...`: stops and resumes arenas, and makes their matches void.

Also makes the keys of arenas on other hosts, drains the hosts, and removes the keys.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli import output
from cli.playing import JsonOption
from cli.remote import ReasonOption, connect, post_and_print, quoted
from matchbox.errors import BadOption

arena = typer.Typer(help="Arenas.", no_args_is_help=True)

NameArgument = Annotated[
    str, typer.Argument(help="its full name, such as arena-1@host; see `matchbox status`")
]
KeyArgument = Annotated[str, typer.Argument(help="the key's name; see `matchbox admin arena keys`")]


@arena.command()
def stop(name: NameArgument, reason: ReasonOption, json: JsonOption = False) -> None:
    """Stop an arena: it gets no jobs until an operator lets it continue."""
    _post(name, "stop", reason, json)


@arena.command("go-on")
def go_on(name: NameArgument, reason: ReasonOption, json: JsonOption = False) -> None:
    """Let a stopped arena continue."""
    _post(name, "go-on", reason, json)


@arena.command()
def void(
    name: NameArgument,
    since: Annotated[str, typer.Option(help="a time in UTC, such as 2026-11-25T13:30")],
    reason: ReasonOption,
    again: Annotated[bool, typer.Option(help="play them again where that still counts")] = True,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    json: JsonOption = False,
) -> None:
    """Make all matches void that ended on an arena since a time."""
    from matchbox.answers.arenas import ArenaMatches, ArenaVoid

    with connect() as client:
        found = client.answer(ArenaMatches, f"{_place(name)}/matches?since={quoted(since)}")
    if not yes:
        many = f"{found.count} matches" if found.count != 1 else "1 match"
        question = f"make {many} of {name} void that ended since {found.since}?"
        try:
            typer.confirm(question, abort=True, err=True)
        except typer.Abort as abort:
            if isinstance(abort.__context__, EOFError):
                raise BadOption("nobody answered: --yes goes on without asking") from None
            raise
    body = {"since": found.since, "until": found.until, "reason": reason, "again": again}
    post_and_print(ArenaVoid, f"{_place(name)}/void", body, json)


@arena.command()
def keys(json: JsonOption = False) -> None:
    """List the keys of arenas on other hosts."""
    from matchbox.answers.arenas import ArenaKey

    with connect() as client:
        found = list(client.answers(ArenaKey, "/arena-keys"))
    rows = [
        (one.name, one.state, one.created_at[:10], one.seen_at or "never", one.arenas, one.jobs)
        for one in found
    ]
    output.listing(found, ("key", "state", "made", "last report", "arenas", "jobs"), rows, json)


@arena.command("make-key")
def make_key(
    name: Annotated[str, typer.Argument(help="a name for the host, such as lab")],
    json: JsonOption = False,
) -> None:
    """Make a key for arenas on another host; it is printed only once."""
    from matchbox.answers.arenas import FreshArenaKey

    with connect() as client:
        made = client.post(FreshArenaKey, "/arena-keys", {"name": name})
        url = client.url
    if json:
        output.document(made.plain())
    else:
        output.note(f"Start `matchbox arena --join {url}` on that host, and give it this key.")
        print(made.key)


@arena.command()
def drain(name: KeyArgument, json: JsonOption = False) -> None:
    """Give a host's arenas no new jobs; they finish those that they have."""
    _change_key(name, "drain", json)


@arena.command()
def undrain(name: KeyArgument, json: JsonOption = False) -> None:
    """Give the arenas of a draining host jobs again."""
    _change_key(name, "undrain", json)


@arena.command()
def remove(name: KeyArgument, json: JsonOption = False) -> None:
    """Revoke a host's key for ever; the jobs of its arenas are given to others."""
    _change_key(name, "remove", json)


def _change_key(name: str, action: str, json: bool) -> None:
    from matchbox.answers.arenas import ArenaKey

    post_and_print(ArenaKey, f"/arena-keys/{quoted(name)}/{action}", {}, json)


def _post(name: str, action: str, reason: str, json: bool) -> None:
    from matchbox.answers.health import ArenaLine

    post_and_print(ArenaLine, f"{_place(name)}/{action}", {"reason": reason}, json)


def _place(name: str) -> str:
    return f"/arenas/{quoted(name)}"
