"""Seasons: list, show, make, enter, run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.leagues import Season, Seasons
from matchbox.answers.standings import Board
from server import queries
from server.auth import acting, context, viewer
from server.context import Context
from server.routes import league_schemas, schemas
from server.routes.responses import answered, described, gives_location, made_at
from server.scopes import Scope, needs
from server.services import entries, founding
from server.services import seasons as services
from server.zips import Turns

LINES = "application/x-ndjson"
_EXPORTS = Turns()

routes = APIBlueprint("seasons", __name__, url_prefix="/api/v1", tag="Seasons")


@routes.get("/seasons")
@needs(Scope.READ, public=True)
@routes.input(schemas.SeasonsPage, location="query")
@routes.output(Seasons)
def seasons(query_data: schemas.SeasonsPage) -> Response:
    """Lists the seasons, newest first; `league` narrows them to those of a league."""
    with context().read() as session:
        return answered(queries.seasons(session, viewer(session), **query_data.model_dump()))


@routes.post("/seasons")
@needs(Scope.OPERATE)
@gives_location
@routes.input(league_schemas.NewSeason)
@routes.output(Season, status_code=201)
def create(json_data: league_schemas.NewSeason) -> Response:
    """Makes a season of a league, or of a game, which gets a league if needed; for operators."""
    with acting() as (session, actor, now):
        row = founding.found_season(
            session,
            actor,
            name=json_data.name,
            league=json_data.league,
            game=json_data.game,
            own=founding.OwnTerms(
                options=json_data.options,
                seats=json_data.seats,
                admission=json_data.admission,
                schedule=json_data.schedule,
            ),
            deals=json_data.deals,
            cycles=json_data.cycles,
            seed=json_data.seed,
            draft=json_data.draft,
            format=json_data.format,
            settings=context().settings,
            now=now,
        )
        found = queries.season(session, actor, row.id)
    return made_at(url_for("seasons.season", season=str(found.id)), found)


@routes.get("/seasons/<season:season>")
@needs(Scope.READ, public=True)
@routes.output(Season)
def season(season: str) -> Response:
    """Returns a season, by number or name, with its entrants."""
    return whole_season(season)


@routes.get("/seasons/<season:season>/standings")
@needs(Scope.READ, public=True)
@routes.output(Board)
def standings(season: str) -> Response:
    """Returns the season's latest standing."""
    with context().read() as session:
        return answered(queries.season_standings(session, viewer(session), season))


@routes.get("/seasons/<season:season>/export")
@needs(Scope.READ, public=True)
@routes.doc(responses=described("A line of JSON a match: digest, record", LINES))
def export(season: str) -> Response:
    """Returns the records of a season that is over, in order, each with its stored digest."""
    ctx = context()
    with ctx.read() as session:
        number = queries.exportable_season(session, viewer(session), season)
    records = _records(ctx, number)
    free = _EXPORTS.hold(records)
    response = Response(records, mimetype=LINES)
    response.call_on_close(free)
    return response


@routes.post("/seasons/<season:season>/enter")
@needs(Scope.SUBMIT)
@routes.input(schemas.Entering)
@routes.output(Season)
def enter(season: str, json_data: schemas.Entering) -> Response:
    """Enters one of your bots into a season; its version is fixed at the start."""
    with acting() as (session, actor, now):
        entries.enter(session, actor, season, json_data.bot, now=now)
    return whole_season(season)


@routes.post("/seasons/<season:season>/leave")
@needs(Scope.SUBMIT)
@routes.input(schemas.Entering)
@routes.output(Season)
def leave(season: str, json_data: schemas.Entering) -> Response:
    """Withdraws one of your bots from a season, before the start."""
    with acting() as (session, actor, now):
        entries.leave(session, actor, season, json_data.bot, now=now)
    return whole_season(season)


@routes.post("/seasons/<season:season>/open")
@needs(Scope.OPERATE)
@routes.output(Season)
def publish(season: str) -> Response:
    """Opens a draft for entries; for operators."""
    return _step(season, services.publish)


@routes.post("/seasons/<season:season>/freeze")
@needs(Scope.OPERATE)
@routes.output(Season)
def freeze(season: str) -> Response:
    """Fixes the versions and the divisions of an open season; for operators."""
    return _step(season, services.freeze)


@routes.post("/seasons/<season:season>/start")
@needs(Scope.OPERATE)
@routes.output(Season)
def start(season: str) -> Response:
    """Starts a season in all its divisions; an open season is frozen first. For operators."""
    with acting() as (session, actor, now):
        services.start(session, actor, season, settings=context().settings, now=now)
    return whole_season(season)


@routes.post("/seasons/<season:season>/pause")
@needs(Scope.OPERATE)
@routes.output(Season)
def pause(season: str) -> Response:
    """Pauses a season in all its divisions; matches under way are played out. For operators."""
    return _step(season, services.pause)


@routes.post("/seasons/<season:season>/resume")
@needs(Scope.OPERATE)
@routes.output(Season)
def resume(season: str) -> Response:
    """Resumes a paused season in all its divisions; for operators."""
    return _step(season, services.resume)


@routes.post("/seasons/<season:season>/cancel")
@needs(Scope.OPERATE)
@routes.output(Season)
def cancel(season: str) -> Response:
    """Cancels a season in all its divisions; its unplayed matches become void. For operators."""
    return _step(season, services.cancel)


def _step(season: str, step: Callable[..., object]) -> Response:
    with acting() as (session, actor, now):
        step(session, actor, season, now=now)
    return whole_season(season)


def whole_season(name: str) -> Response:
    """Returns the season, by number or name, as this visitor sees it."""
    with context().read() as session:
        return answered(queries.season(session, viewer(session), name))


def _records(ctx: Context, season: int) -> Iterator[bytes]:
    for digest, record in queries.season_records(ctx.read, season):
        line = {"digest": digest, "record": record}
        yield msgspec.json.encode(line, order="deterministic") + b"\n"
