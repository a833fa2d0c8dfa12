"""Seasons: made, entered, run, told."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.leagues import Season, Seasons
from matchbox.answers.standings import Board
from matchbox.errors import Forbidden
from server import queries
from server.auth import account, context, operator, viewer
from server.context import Context
from server.routes import league_schemas, schemas
from server.routes.responses import answered, described, made_at
from server.rows import named_bot, season_row
from server.scopes import Scope, needs
from server.services import founding
from server.services import seasons as services

OVER = ("finished", "cancelled")
LINES = "application/x-ndjson"
STEPS = {
    "open": services.publish,
    "freeze": services.freeze,
    "pause": services.pause,
    "resume": services.resume,
    "cancel": services.cancel,
}

routes = APIBlueprint("seasons", __name__, url_prefix="/api/v1", tag="Seasons")


@routes.get("/seasons")
@needs(Scope.READ)
@routes.output(Seasons)
def seasons() -> Response:
    """Every season, newest first."""
    with context().read() as session:
        return answered(Seasons(items=queries.seasons(session, viewer(session)), next=None))


@routes.post("/seasons")
@needs(Scope.OPERATE)
@routes.input(league_schemas.NewSeason)
@routes.output(Season, status_code=201)
def create(json_data: league_schemas.NewSeason) -> Response:
    """A season of a league, or of a game with a league for it where needed; for operators."""
    made = context()
    with made.write() as session:
        user = operator(session)
        wanted = json_data.model_dump(exclude_unset=True)
        row = founding.found(session, user, **wanted, settings=made.settings, now=made.now())
        location = url_for("seasons.season", season=str(row.id))
        return made_at(location, queries.season(session, row.id, user))


@routes.get("/seasons/<season:season>")
@needs(Scope.READ)
@routes.output(Season)
def season(season: str) -> Response:
    """A season, by number or name, with its entrants."""
    with context().read() as session:
        return answered(queries.season(session, season, viewer(session)))


@routes.get("/seasons/<season:season>/standings")
@needs(Scope.READ)
@routes.output(Board)
def standings(season: str) -> Response:
    """The season's standing as it was last computed."""
    with context().read() as session:
        return answered(queries.season_standings(session, season, viewer(session)))


@routes.get("/seasons/<season:season>/export")
@needs(Scope.READ)
@routes.doc(responses=described("A line of JSON a match: digest, record", LINES))
def export(season: str) -> Response:
    """The records of a season that is over, in order, each with the digest on the books."""
    made = context()
    with made.read() as session:
        found = queries.season(session, season)
    if found.state not in OVER:
        raise Forbidden(
            f"season {found.name} is {found.state}; its records are closed until it is over"
        )
    return Response(_records(made, found.id), mimetype=LINES)


@routes.post("/seasons/<season:season>/enter")
@needs(Scope.SUBMIT)
@routes.input(schemas.Entering)
@routes.output(Season)
def enter(season: str, json_data: schemas.Entering) -> Response:
    """Enters a bot of yours; its version is fixed at the start."""
    number = take_place(season, json_data.bot, enters=True)
    with context().read() as session:
        return answered(queries.season(session, number, viewer(session)))


@routes.post("/seasons/<season:season>/leave")
@needs(Scope.SUBMIT)
@routes.input(schemas.Entering)
@routes.output(Season)
def leave(season: str, json_data: schemas.Entering) -> Response:
    """Takes a bot of yours out again, before the start."""
    number = take_place(season, json_data.bot, enters=False)
    with context().read() as session:
        return answered(queries.season(session, number, viewer(session)))


@routes.post("/seasons/<season:season>/open")
@needs(Scope.OPERATE)
@routes.output(Season)
def publish(season: str) -> Response:
    """Opens a draft for entries; for operators."""
    return change(season, "open")


@routes.post("/seasons/<season:season>/freeze")
@needs(Scope.OPERATE)
@routes.output(Season)
def freeze(season: str) -> Response:
    """Fixes the versions and the divisions of an open season; for operators."""
    return change(season, "freeze")


@routes.post("/seasons/<season:season>/start")
@needs(Scope.OPERATE)
@routes.output(Season)
def start(season: str) -> Response:
    """Plays a season, all divisions of it; an open one is frozen first. For operators."""
    return change(season, "start")


@routes.post("/seasons/<season:season>/pause")
@needs(Scope.OPERATE)
@routes.output(Season)
def pause(season: str) -> Response:
    """Sends no more matches of all its divisions; those under way end. For operators."""
    return change(season, "pause")


@routes.post("/seasons/<season:season>/resume")
@needs(Scope.OPERATE)
@routes.output(Season)
def resume(season: str) -> Response:
    """Goes on with a paused season, all divisions of it; for operators."""
    return change(season, "resume")


@routes.post("/seasons/<season:season>/cancel")
@needs(Scope.OPERATE)
@routes.output(Season)
def cancel(season: str) -> Response:
    """Ends the season here, all divisions; what was not played is void. For operators."""
    return change(season, "cancel")


def change(season: str, what: str) -> Response:
    """The answer to an operator's step with the season."""
    number = take_step(season, what)
    with context().read() as session:
        return answered(queries.season(session, number, viewer(session)))


def take_step(season: str, what: str) -> int:
    """Opens, freezes, starts, pauses, resumes or cancels the season; its number."""
    made = context()
    with made.write() as session:
        user = operator(session)
        row = season_row(session, season, user)
        if what == "start":
            services.start(session, user, row, settings=made.settings, now=made.now())
        else:
            STEPS[what](session, user, row, now=made.now())
        return row.id


def take_place(season: str, bot: str, *, enters: bool) -> int:
    """Enters the bot into the season, or takes it out; the season's number."""
    made = context()
    step = services.enter if enters else services.leave
    with made.write() as session:
        user = account(session)
        row = season_row(session, season, user)
        step(session, user, row, named_bot(session, bot, user), now=made.now())
        return row.id


def _records(made: Context, season: int) -> Iterator[bytes]:
    with made.read() as session:
        for digest, record in queries.season_records(session, season):
            line = {"digest": digest, "record": record}
            yield msgspec.json.encode(line, order="deterministic") + b"\n"
