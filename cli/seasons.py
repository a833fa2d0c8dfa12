"""`matchbox season ...` and `matchbox league ...`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cli import say
from cli.playing import JsonOption
from cli.remote import BotArgument, connect, show_board

season = typer.Typer(help="Run seasons.", no_args_is_help=True)
league = typer.Typer(help="See and make leagues.", no_args_is_help=True)

SeasonArgument = Annotated[str, typer.Argument(help="the season's name or number")]


@season.command()
def create(
    name: Annotated[str, typer.Argument(help="the season's name")],
    league: Annotated[str, typer.Option(help="the league; a game's own bears its name")],
    cycles: Annotated[int, typer.Option(min=1, help="double round robins")] = 1,
    deals: Annotated[int | None, typer.Option(min=1, help="deals of every match")] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            help="what all deals follow from; whoever knows it knows them, so leave it out"
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Make a season that is open for entries."""
    asked = {"name": name, "league": league, "cycles": cycles, "deals": deals, "seed": seed}
    _change("/seasons", asked, json)


@season.command()
def enter(season: SeasonArgument, bot: BotArgument, json: JsonOption = False) -> None:
    """Enter a bot of yours; its version is fixed at the start."""
    _change(f"/seasons/{season}/enter", {"bot": bot}, json)


@season.command()
def leave(season: SeasonArgument, bot: BotArgument, json: JsonOption = False) -> None:
    """Take a bot of yours out again, before the start."""
    _change(f"/seasons/{season}/leave", {"bot": bot}, json)


@season.command()
def start(season: SeasonArgument, json: JsonOption = False) -> None:
    """Fix the versions and play."""
    _change(f"/seasons/{season}/start", {}, json)


@season.command()
def pause(season: SeasonArgument, json: JsonOption = False) -> None:
    """Send no more matches; those under way end."""
    _change(f"/seasons/{season}/pause", {}, json)


@season.command()
def resume(season: SeasonArgument, json: JsonOption = False) -> None:
    """Go on with a paused season."""
    _change(f"/seasons/{season}/resume", {}, json)


@season.command()
def cancel(season: SeasonArgument, json: JsonOption = False) -> None:
    """End the season here; what was not played is void."""
    _change(f"/seasons/{season}/cancel", {}, json)


@season.command("list")
def list_seasons(json: JsonOption = False) -> None:
    """List every season."""
    with connect() as client:
        found = list(client.items("/seasons"))
    if json:
        say.document(found)
    else:
        rows = [(one["id"], one["name"], one["game"], one["state"]) for one in found]
        say.table(["number", "season", "game", "state"], rows)


@season.command()
def show(season: SeasonArgument, json: JsonOption = False) -> None:
    """Show a season with its entrants and its standing."""
    with connect() as client:
        found = client.get(f"/seasons/{season}")
        board = client.get(f"/seasons/{season}/standings")
    _tell(found | {"standing": board["lines"]}, json)
    if board["lines"] and not json:
        show_board(board)


@season.command()
def export(
    season: SeasonArgument,
    file: Annotated[Path, typer.Argument(help="a line of JSON a match is written here")],
) -> None:
    """Write the records of a season that is over to a file."""
    with connect() as client:
        records = client.read(f"/seasons/{season}/export")
    file.write_bytes(records)
    lines = records.count(b"\n")
    say.note(f"{lines} matches in {file}")


@league.command("list")
def list_leagues(json: JsonOption = False) -> None:
    """List every league."""
    with connect() as client:
        found = list(client.items("/leagues"))
    if json:
        say.document(found)
    else:
        rows = [(one["name"], one["game"], one["seats"], one["deals"]) for one in found]
        say.table(["league", "game", "players", "deals of a match"], rows)


@league.command("create")
def create_league(
    name: Annotated[str, typer.Argument(help="the league's name")],
    game: Annotated[str, typer.Option(help="the game that is played")],
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE of the game")] = None,
    deals: Annotated[int | None, typer.Option(min=1, help="deals of a match")] = None,
    json: JsonOption = False,
) -> None:
    """Make a league of your own, for seasons."""
    from cli.simulate import read_options

    options = read_options(option or [])
    _change("/leagues", {"name": name, "game": game, "options": options, "deals": deals}, json)


@league.command("show")
def show_league(
    name: Annotated[str, typer.Argument(help="the league's name")], json: JsonOption = False
) -> None:
    """Show a league."""
    with connect() as client:
        found = client.get(f"/leagues/{name}")
    _tell(found, json)


def _change(path: str, body: dict[str, Any], json: bool) -> None:
    with connect() as client:
        told = client.post(path, {name: v for name, v in body.items() if v is not None})
    _tell(told, json)


def _tell(told: dict[str, Any], json: bool) -> None:
    if json:
        say.document(told)
        return
    for key, value in told.items():
        if isinstance(value, str | int | float):
            print(f"{key}: {value}")
    for entrant in told.get("entrants") or []:
        name = entrant["bot"] if isinstance(entrant, dict) else entrant
        print(f"entrant: {name}")
