"""`matchbox admin arena ...`: arenas are stopped, let go on, and their matches made void."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from cli import output
from cli.playing import JsonOption
from cli.remote import connect

arena = typer.Typer(help="Arenas.", no_args_is_help=True)

NameArgument = Annotated[
    str, typer.Argument(help="its full name, such as arena-1@host; see `matchbox status`")
]
ReasonOption = Annotated[str, typer.Option(help="the reason, which is kept and shown")]


@arena.command()
def stop(name: NameArgument, reason: ReasonOption, json: JsonOption = False) -> None:
    """Stop an arena: it gets no jobs until it is let go on."""
    _post(name, "stop", reason, json)


@arena.command("go-on")
def go_on(name: NameArgument, reason: ReasonOption, json: JsonOption = False) -> None:
    """Let a stopped arena go on."""
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
    from cli.client import parse_answer
    from matchbox.answers.arenas import ArenaMatches, ArenaVoid

    with connect() as client:
        found = parse_answer(ArenaMatches, client.get(f"{_place(name)}/matches", since=since))
        if not yes:
            many = f"{found.count} matches" if found.count != 1 else "1 match"
            typer.confirm(
                f"make {many} of {name} void that ended since {found.since}?", abort=True, err=True
            )
        body = {"since": found.since, "until": found.until, "reason": reason, "again": again}
        told = parse_answer(ArenaVoid, client.post(f"{_place(name)}/void", body)).plain()
    if json:
        output.document(told)
    else:
        output.fields(told)


def _post(name: str, action: str, reason: str, json: bool) -> None:
    from cli.client import parse_answer
    from matchbox.answers.health import ArenaLine

    with connect() as client:
        path = f"{_place(name)}/{action}"
        told = parse_answer(ArenaLine, client.post(path, {"reason": reason})).plain()
    if json:
        output.document(told)
    else:
        output.fields(told)


def _place(name: str) -> str:
    return f"/arenas/{quote(name, safe='@')}"
