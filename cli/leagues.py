"""`matchbox league ...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cli import output
from cli.playing import JsonOption
from cli.remote import connect, quoted
from cli.season_options import takes_terms, terms_in
from matchbox.errors import BadOption
from matchbox.match.wire import Separation

if TYPE_CHECKING:
    from matchbox.answers.leagues import League

league = typer.Typer(help="See, make and run leagues.", no_args_is_help=True)

_ACCOUNTS_S: Final = 300.0
"""The seconds that the server may take to make the accounts of a class."""
LeagueArgument = Annotated[str, typer.Argument(help="the league's name")]
UserArgument = Annotated[str, typer.Argument(help="an account's name")]
OptionsOption = Annotated[
    list[str] | None, typer.Option(help="an option of the game, as NAME=VALUE; may be repeated")
]
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
    columns = ["league", "game", "players", "deals of a match", "next start"]
    rows = [
        (
            one.name,
            one.game,
            one.seats,
            "by speed" if one.paced else one.deals,
            one.next_start or "",
        )
        for one in found
    ]
    output.listing(found, columns, rows, json)


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
        bool, typer.Option("--continuous", help="play continuously, with a leaderboard of its own")
    ] = False,
    separation: SeparationOption = None,
    json: JsonOption = False,
) -> None:
    """Create a league: a game, its options, and the settings of its seasons."""
    body = {
        "name": name,
        "game": game,
        "options": chosen(option),
        "seats": seats,
        "deals": deals,
        "continuous": continuous or None,
        "separation": separation,
        **terms,
    }
    _post("/leagues", body, json)


@league.command()
@takes_terms
def edit(
    name: LeagueArgument,
    terms: dict[str, Any],
    deals: DealsOption = None,
    paced: Annotated[
        bool, typer.Option("--paced", help="let the bots' speed decide the number of deals again")
    ] = False,
    separation: SeparationOption = None,
    json: JsonOption = False,
) -> None:
    """Change a league's settings; a new format applies to seasons that are created later."""
    from matchbox.answers.leagues import League

    body = {"deals": deals, "paced": paced or None, "separation": separation, **terms}
    if all(value is None for value in body.values()):
        raise BadOption("name what to change, such as --deals; --help lists the options")
    with connect() as client:
        _show(client.patch(League, f"/leagues/{quoted(name)}", body), json)


@league.command("show")
def show_league(name: LeagueArgument, json: JsonOption = False) -> None:
    """Show a league with its settings and the start of its next season."""
    from matchbox.answers.leagues import League

    with connect() as client:
        _show(client.answer(League, f"/leagues/{quoted(name)}"), json)


@league.command()
def invite(name: LeagueArgument, user: UserArgument, json: JsonOption = False) -> None:
    """Invite an account to the seasons of a league that is by invitation."""
    _post(f"/leagues/{quoted(name)}/invite", {"user": user}, json)


@league.command()
def uninvite(name: LeagueArgument, user: UserArgument, json: JsonOption = False) -> None:
    """Withdraw an invitation; bots that are in a season stay in it."""
    _post(f"/leagues/{quoted(name)}/uninvite", {"user": user}, json)


@league.command()
def pause(name: LeagueArgument, json: JsonOption = False) -> None:
    """Stop a league's schedule, or a continuous league's queue."""
    _post(f"/leagues/{quoted(name)}/pause", {}, json)


@league.command()
def resume(name: LeagueArgument, json: JsonOption = False) -> None:
    """Resume a league; seasons that it missed are skipped."""
    _post(f"/leagues/{quoted(name)}/resume", {}, json)


@league.command()
def code(
    name: LeagueArgument,
    renew: Annotated[bool, typer.Option("--renew", help="make a code, or a new one")] = False,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="make the code stop working")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show, make or withdraw the code with which anybody joins a league."""
    from matchbox.answers.classes import JoinCode

    if renew and withdraw:
        raise BadOption("--renew and --withdraw exclude each other: choose one")
    with connect() as client:
        path = f"/leagues/{quoted(name)}/code"
        if withdraw:
            client.delete(path)
        found = client.post(JoinCode, path) if renew else client.answer(JoinCode, path)
    if json:
        output.document(found.plain())
    elif found.code is None:
        output.note(f"League {name} has no code; --renew makes one.")
    else:
        output.fields({"code": found.code, "link": found.link})


@league.command()
def accounts(
    name: LeagueArgument,
    file: Annotated[
        typer.FileText,
        typer.Argument(
            encoding="utf-8", help="names, one a line, or CSV with notes beside them; - for stdin"
        ),
    ],
    json: JsonOption = False,
) -> None:
    """Make an author's account for each name; the passwords are printed only once."""
    from matchbox.answers.classes import FreshAccounts
    from server.services.classes import read_list

    with connect() as client:
        names, notes = read_list(file.read())
        if not names:
            raise BadOption(f"there is no name in {file.name}; give one a line")
        late = (
            "run this again: names that it calls taken have accounts then, and `matchbox admin "
            "user reset NAME` gives each a new password"
        )
        body = {"names": names, "notes": notes or None}
        path = f"/leagues/{quoted(name)}/accounts"
        found = client.post(FreshAccounts, path, body, wait_s=_ACCOUNTS_S, late=late)
    if json:
        output.document(found.plain())
    else:
        rows = [(one.name, one.password, one.note) for one in found.items]
        output.table(["name", "password", "note"], rows)


@league.command()
def results(
    name: LeagueArgument,
    season: Annotated[str | None, typer.Option(help="one of its seasons")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="print CSV")] = False,
    json: JsonOption = False,
) -> None:
    """Show the results of a league's authors, best first."""
    from cli.boards import figure_name, figure_text
    from matchbox.answers.classes import AuthorResults

    if csv and json:
        raise BadOption("--csv and --json exclude each other: choose one")
    with connect() as client:
        query = "" if season is None else f"?season={quoted(season)}"
        if csv:
            output.raw(client.read(f"/leagues/{quoted(name)}/results.csv{query}"))
            return
        found = client.answer(AuthorResults, f"/leagues/{quoted(name)}/results{query}")
    if json:
        output.document(found.plain())
        return
    rows = [
        (
            one.rank or "",
            one.author,
            one.best_bot or "",
            one.board_rank or "",
            figure_text(found.by, one.score),
            one.matches,
            one.bots,
            one.note,
        )
        for one in found.items
    ]
    figure = figure_name(found.by)
    columns = ["rank", "author", "best bot", "its rank", figure, "matches", "bots", "note"]
    output.table(columns, rows)


def chosen(option: list[str] | None) -> dict[str, str] | None:
    """NAME=VALUE texts as a mapping, or None. Raises BadOption."""
    from cli.game_options import read_options

    return read_options(option) if option else None


def _post(path: str, body: dict[str, Any], json: bool) -> None:
    """Posts this to the server, and prints the league in its answer."""
    from matchbox.answers.leagues import League

    with connect() as client:
        _show(client.post(League, path, body), json)


def _show(league: League, json: bool) -> None:
    document = league.plain()
    if json:
        output.document(document)
        return
    output.fields({**document, **terms_in(document, league.format)})
    for season in league.seasons:
        print(f"season: {season.name} ({season.state})")
    if more := league.season_count - len(league.seasons):
        print(f"and {more} more: `matchbox season list --league {league.name}` lists them all")
    if league.invited:
        print(f"invited: {', '.join(league.invited)}")
