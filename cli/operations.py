"""`matchbox match ...`, operators' actions on seasons, versions and boards, and the log of them."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import output
from cli.admin import admin
from cli.leagues import league
from cli.playing import JsonOption
from cli.proof import MatchArgument, find_match
from cli.remote import ReasonOption, bot_path, connect, post_and_print, quoted
from cli.seasons import SeasonArgument, change, season

match = typer.Typer(help="Operate matches.", no_args_is_help=True)

NamedBot = Annotated[str, typer.Argument(help="owner/name")]


@season.command()
def disqualify(
    season: SeasonArgument, bot: NamedBot, reason: ReasonOption, json: JsonOption = False
) -> None:
    """Disqualify a bot: it plays no further matches, and its results no longer count."""
    change(f"/seasons/{quoted(season)}/disqualify", {"bot": bot, "reason": reason}, json)


@season.command()
def reinstate(
    season: SeasonArgument, bot: NamedBot, reason: ReasonOption, json: JsonOption = False
) -> None:
    """Undo a disqualification; the matches that it made void are played."""
    change(f"/seasons/{quoted(season)}/reinstate", {"bot": bot, "reason": reason}, json)


@season.command()
def rerun(
    season: SeasonArgument,
    reason: ReasonOption,
    number: Annotated[
        int | None,
        typer.Option("--round", min=1, help="its number, from 1; the newest round if left out"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Make every match of a round void, and schedule the round again."""
    change(f"/seasons/{quoted(season)}/rerun", {"reason": reason, "round": number}, json)


@season.command("recompute")
def recompute_season(season: SeasonArgument, json: JsonOption = False) -> None:
    """Compute the season's standing now."""
    from matchbox.answers.standings import Board

    post_and_print(Board, f"/seasons/{quoted(season)}/recompute", {}, json)


@league.command("recompute")
def recompute_league(
    name: Annotated[str, typer.Argument(help="the league's name")], json: JsonOption = False
) -> None:
    """Compute a league's standing and live ratings now."""
    from matchbox.answers.leagues import League

    post_and_print(League, f"/leagues/{quoted(name)}/recompute", {}, json)


@match.command()
def void(
    match: MatchArgument,
    reason: ReasonOption,
    again: Annotated[
        bool, typer.Option("--again", help="schedule it again as a new match")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Make a match void, finished or not; only for faults of the platform."""
    from matchbox.answers.matches import Match

    body = {"reason": reason, "again": again}
    post_and_print(Match, f"/matches/{_full_id(match)}/void", body, json)


@match.command("again")
def play_again(match: MatchArgument, reason: ReasonOption, json: JsonOption = False) -> None:
    """Schedule a void match again, as a new match."""
    from matchbox.answers.matches import Match

    post_and_print(Match, f"/matches/{_full_id(match)}/again", {"reason": reason}, json)


@match.command()
def requeue(match: MatchArgument, json: JsonOption = False) -> None:
    """Queue a parked match again."""
    from matchbox.answers.matches import Match

    post_and_print(Match, f"/matches/{_full_id(match)}/requeue", {}, json)


@admin.command("reinstate-version")
def reinstate_version(
    bot: NamedBot,
    number: Annotated[int, typer.Argument(min=1, help="the version's number")],
    reason: ReasonOption,
    json: JsonOption = False,
) -> None:
    """Let a suspended version play again; its forfeits are cleared."""
    from matchbox.answers.bots import Bot, Version

    with connect() as client:
        versions = client.answer(Bot, bot_path(client, bot)).versions
    rows = [one.id for one in versions if one.number == number]
    if not rows:
        output.exit_no(f"{bot} has no version {number}; see `matchbox bots`")
    post_and_print(Version, f"/versions/{rows[0]}/reinstate", {"reason": reason}, json)


@admin.command()
def audit(
    subject: Annotated[str | None, typer.Option(help='such as "season spring" or season:3')] = None,
    action: Annotated[str | None, typer.Option(help="such as season.start")] = None,
    most: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="the number of newest lines")
    ] = 50,
    json: JsonOption = False,
) -> None:
    """Show the audit log of actions, newest first."""
    from dashboard import wording
    from matchbox.answers.platform import AuditLine

    with connect() as client:
        found = client.answers(AuditLine, "/audit", subject=subject, action=action)
        lines = output.first(found, most)
    rows = [
        (one.at, one.actor or "the platform", one.action, one.subject, one.name,
         "; ".join(f"{name}: {value}" for name, value in wording.flat(one.detail)))
        for one in lines
    ]  # fmt: skip
    output.listing(lines, ["when", "who", "what", "to", "name", "more"], rows, json)


def _full_id(match: str) -> str:
    """The match's whole id; its first digits are enough."""
    with connect() as client:
        return find_match(client, match).id
