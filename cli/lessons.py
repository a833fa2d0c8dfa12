"""`matchbox lessons` and `matchbox share`: your bots' lessons, and the sharing of their files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import output
from cli.complete_file import complete_file
from cli.playing import JsonOption
from cli.remote import connect, quoted
from cli.seasons import SeasonArgument


def lessons(
    season: SeasonArgument,
    bot: Annotated[str | None, typer.Option(help="only this one: owner/name, or name")] = None,
    memory: Annotated[
        Path | None,
        typer.Option(help="write the memory after the newest lesson of one bot to this file"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List what your bots learned between the rounds of a season."""
    from matchbox.answers.lessons import Lesson
    from matchbox.errors import BadOption

    with connect() as client:
        found = list(client.answers(Lesson, f"/seasons/{quoted(season)}/lessons"))
        if bot is not None:
            found = [one for one in found if bot in (one.bot, one.bot.partition("/")[2])]
        if memory is not None:
            bots = sorted({one.bot for one in found})
            if len(bots) > 1:
                raise BadOption(
                    f"these are the lessons of {' and '.join(bots)}; say with --bot whose memory "
                    "to write"
                )
            names = [one.after for one in found if one.state != "waiting"]
            if not names or names[-1] is None:
                output.exit_no(
                    "there is no memory: none of these lessons is over, or the newest left none"
                )
            with complete_file(memory) as file:
                client.save(f"/memories/{names[-1]}", file)
    columns = ["bot", "version", "round", "state", "bouts", "memory", "bytes", "fault"]
    rows = [
        (
            *(one.bot, one.version, one.round, one.state, one.records),
            *((one.after or "")[:8], one.bytes, one.fault),
        )
        for one in found
    ]
    output.listing(found, columns, rows, json)


def share(
    answer: Annotated[
        Literal["yes", "no"] | None,
        typer.Argument(help="whether others may have your bots' files with an exported season"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Say whether others may have your bots with exported seasons, or show your choice."""
    from matchbox.answers.lessons import Sharing

    path = "/account/sharing"
    with connect() as client:
        if answer is None:
            sharing = client.answer(Sharing, path)
        else:
            sharing = client.post(Sharing, path, {"shares": answer == "yes"})
    if json:
        output.document(sharing.plain())
        return
    print(f"your bots go with exported seasons: {'yes' if sharing.shares else 'no'}")
