"""`matchbox season ...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import leagues, output
from cli.boards import show_board
from cli.playing import JsonOption
from cli.remote import BotArgument, connect, quoted
from cli.season_options import takes_terms, terms_in

if TYPE_CHECKING:
    from matchbox.answers.leagues import Season

season = typer.Typer(help="Run seasons.", no_args_is_help=True)

SeasonArgument = Annotated[str, typer.Argument(help="the season's name or number")]


@season.command()
@takes_terms
def create(
    terms: dict[str, Any],
    name: Annotated[
        str | None,
        typer.Argument(help="its name; if left out, the last season's with the next number"),
    ] = None,
    league: Annotated[
        str | None, typer.Option(help="its league; a game's own league has the game's name")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            help="the game, instead of a league: the season is one of the game's own league; if a "
            "schedule, entry rules, --option or --seats are given, of a new league for it"
        ),
    ] = None,
    option: leagues.OptionsOption = None,
    seats: leagues.SeatsOption = None,
    deals: Annotated[
        int | None, typer.Option(min=1, help="deals of every match, however long it takes")
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            help="the seed of all deals; whoever knows it knows the deals, so leave it out"
        ),
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="show it only to operators for now")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Create a season that is open for entries; with --cron or --once it starts automatically."""
    body = {
        "name": name,
        "league": league,
        "game": game,
        "options": leagues.chosen(option),
        "seats": seats,
        "deals": deals,
        "seed": seed,
        "draft": draft or None,
        **terms,
    }
    made = change("/seasons", body, json)
    if game is not None:
        whose = "the game's own" if made.league == made.game else "a new one, made for it"
        output.note(f"It is a season of league {made.league}, which is {whose}.")


@season.command("open")
def publish(season: SeasonArgument, json: JsonOption = False) -> None:
    """Open a draft for entries."""
    change(f"/seasons/{quoted(season)}/open", {}, json)


@season.command()
def freeze(season: SeasonArgument, json: JsonOption = False) -> None:
    """Fix the versions and the divisions of a season; newer versions do not enter."""
    change(f"/seasons/{quoted(season)}/freeze", {}, json)


@season.command()
def enter(season: SeasonArgument, bot: BotArgument, json: JsonOption = False) -> None:
    """Enter one of your bots; its version is fixed at the start."""
    change(f"/seasons/{quoted(season)}/enter", {"bot": bot}, json)


@season.command()
def leave(season: SeasonArgument, bot: BotArgument, json: JsonOption = False) -> None:
    """Withdraw one of your bots before the start."""
    change(f"/seasons/{quoted(season)}/leave", {"bot": bot}, json)


@season.command()
def start(season: SeasonArgument, json: JsonOption = False) -> None:
    """Start a season with all its divisions; an open season is frozen first."""
    change(f"/seasons/{quoted(season)}/start", {}, json)


@season.command()
def pause(season: SeasonArgument, json: JsonOption = False) -> None:
    """Pause a season with all its divisions; matches under way are finished."""
    change(f"/seasons/{quoted(season)}/pause", {}, json)


@season.command()
def resume(season: SeasonArgument, json: JsonOption = False) -> None:
    """Resume a paused season with all its divisions."""
    change(f"/seasons/{quoted(season)}/resume", {}, json)


@season.command()
def cancel(season: SeasonArgument, json: JsonOption = False) -> None:
    """End a season with all its divisions now; unplayed matches become void."""
    change(f"/seasons/{quoted(season)}/cancel", {}, json)


@season.command("list")
def list_seasons(
    league: Annotated[str | None, typer.Option(help="only the seasons of this league")] = None,
    json: JsonOption = False,
) -> None:
    """List every season."""
    from matchbox.answers.leagues import League, SeasonLine

    with connect() as client:
        found = list(client.answers(SeasonLine, "/seasons", league=league))
        if league is not None and not found:
            client.answer(League, f"/leagues/{quoted(league)}")  # It may be misspelt.
    columns = ["number", "season", "league", "game", "format", "state", "entrants", "starts"]
    rows = [
        (
            one.id,
            one.name,
            one.league,
            one.game,
            one.format.kind,
            one.state,
            one.entries,
            one.starts_at or "",
        )
        for one in found
    ]
    output.listing(found, columns, rows, json)


@season.command()
def show(season: SeasonArgument, json: JsonOption = False) -> None:
    """Show a season with its entrants and its standing."""
    from matchbox.answers.leagues import Season
    from matchbox.answers.standings import Board

    with connect() as client:
        found = client.answer(Season, f"/seasons/{quoted(season)}")
        board = client.answer(Board, f"/seasons/{quoted(season)}/standings")
    if json:
        output.document({**found.plain(), "by": board.by, "standing": board.plain()["lines"]})
        return
    _show(found)
    if board.lines:
        show_board(board)


def change(path: str, body: dict[str, Any], json: bool) -> Season:
    """Posts this to the server, and prints the season in its answer; returns it."""
    from matchbox.answers.leagues import Season

    with connect() as client:
        changed = client.post(Season, path, body)
    if json:
        output.document(changed.plain())
    else:
        _show(changed)
    return changed


def _show(season: Season) -> None:
    document = season.plain()
    terms = terms_in(document, season.format)
    if season.state not in ("draft", "open"):  # A freeze makes as many as the entrants fill.
        terms["divisions"] = season.divisions
    output.fields({**document, "format": terms.pop("kind"), **terms})
    if season.trophy and season.trophy.champion:
        print(f"champion: {season.trophy.champion}")
    elif season.trophy and season.trophy.shared:
        print(f"first place shared by: {', '.join(season.trophy.shared)}")
    for entrant in season.entrants:
        out = f" ({entrant.out})" if entrant.out else ""
        print(f"entrant: {entrant.bot}{out}")
