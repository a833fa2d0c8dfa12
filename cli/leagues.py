"""`matchbox league ...`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cli import output
from cli.playing import JsonOption
from cli.remote import connect
from cli.season_options import takes_terms
from matchbox.match.wire import Separation

league = typer.Typer(help="See, make and run leagues.", no_args_is_help=True)

LeagueArgument = Annotated[str, typer.Argument(help="the league's name")]
UserArgument = Annotated[str, typer.Argument(help="an account's name")]
OptionsOption = Annotated[list[str] | None, typer.Option(help="NAME=VALUE of the game")]
DealsOption = Annotated[
    int | None, typer.Option(min=1, help="deals of a match, however long it takes")
]
SeatsOption = Annotated[int | None, typer.Option(min=1, help="players at a table")]
SeparationOption = Annotated[
    Separation | None, typer.Option(help="how far apart the rotations of a match are played")
]


@league.command("list")
def list_leagues(json: JsonOption = False) -> None:
    """List every league."""
    from matchbox.answers.leagues import LeagueLine

    with connect() as client:
        found = list(client.answers(LeagueLine, "/leagues"))
    if json:
        output.document([one.plain() for one in found])
    else:
        rows = [(one.name, one.game, one.seats, one.deals, one.next_start or "") for one in found]
        output.table(["league", "game", "players", "deals of a match", "next start"], rows)


@league.command()
@takes_terms
def create(
    name: LeagueArgument,
    game: Annotated[str, typer.Option(help="the game that is played")],
    terms: dict[str, Any],
    option: OptionsOption = None,
    seats: SeatsOption = None,
    deals: DealsOption = None,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="played without end, with its own board")
    ] = False,
    separation: SeparationOption = None,
    json: JsonOption = False,
) -> None:
    """Create a league: a game, its options, and the settings of its seasons."""
    body = {"name": name, "game": game, "seats": seats, "deals": deals}
    more = {
        "options": chosen(option),
        "continuous": continuous or None,
        "separation": separation,
    }
    with connect() as client:
        show(client.post("/leagues", given({**body, **more, **terms})), json)


@league.command()
@takes_terms
def edit(
    name: LeagueArgument,
    terms: dict[str, Any],
    deals: DealsOption = None,
    paced: Annotated[
        bool, typer.Option("--paced", help="let the bots' pace decide the number of deals again")
    ] = False,
    separation: SeparationOption = None,
    json: JsonOption = False,
) -> None:
    """Change a league's settings; a new format applies to seasons that are created later."""
    with connect() as client:
        knobs = {"deals": deals, "paced": paced or None}
        body = given({**knobs, "separation": separation, **terms})
        show(client.patch(f"/leagues/{name}", body), json)


@league.command("show")
def show_league(name: LeagueArgument, json: JsonOption = False) -> None:
    """Show a league with its settings and the start of its next season."""
    with connect() as client:
        show(client.get(f"/leagues/{name}"), json)


@league.command()
def invite(name: LeagueArgument, user: UserArgument, json: JsonOption = False) -> None:
    """Invite an account to the seasons of a league that is by invitation."""
    _step(name, "invite", json, {"user": user})


@league.command()
def uninvite(name: LeagueArgument, user: UserArgument, json: JsonOption = False) -> None:
    """Withdraw an invitation; bots that are in a season stay in it."""
    _step(name, "uninvite", json, {"user": user})


@league.command()
def pause(name: LeagueArgument, json: JsonOption = False) -> None:
    """Stop a league's schedule, or a continuous league's queue."""
    _step(name, "pause", json)


@league.command()
def resume(name: LeagueArgument, json: JsonOption = False) -> None:
    """Resume a league; seasons that it has missed are not made up for."""
    _step(name, "resume", json)


def chosen(option: list[str] | None) -> dict[str, str] | None:
    """NAME=VALUE texts as a mapping, or None. Raises BadOption."""
    from cli.game_options import read_options

    return read_options(option) if option else None


def given(body: dict[str, Any]) -> dict[str, Any]:
    """The fields of the body that are not None."""
    return {name: value for name, value in body.items() if value is not None}


def show(answer: Any, json: bool) -> None:
    """Prints the league in this answer, for a person or a program. Raises BadMessage."""
    from cli.client import parse_answer
    from matchbox.answers.leagues import League

    league = parse_answer(League, answer)
    if json:
        output.document(league.plain())
        return
    output.fields({**league.plain(), **league.format, **league.admission, **league.schedule})
    for season in league.seasons:
        print(f"season: {season.name} ({season.state})")
    for name in league.invited or []:
        print(f"invited: {name}")


def _step(name: str, step: str, json: bool, body: dict[str, Any] | None = None) -> None:
    with connect() as client:
        show(client.post(f"/leagues/{name}/{step}", body), json)
