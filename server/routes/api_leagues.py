"""Leagues: list, show, make, edit, pause, invite."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.leagues import League, Leagues
from server import queries
from server.auth import acting, context, viewer
from server.routes import league_schemas
from server.routes.responses import answered, gives_location, made_at
from server.scopes import Scope, needs
from server.services import admission
from server.services import leagues as services

routes = APIBlueprint("leagues", __name__, url_prefix="/api/v1", tag="Leagues")


@routes.get("/leagues")
@needs(Scope.READ, public=True)
@routes.output(Leagues)
def leagues() -> Response:
    """Lists the leagues; the default league of a game has the game's name."""
    with context().read() as session:
        return answered(Leagues(items=queries.leagues(session), next=None))


@routes.post("/leagues")
@needs(Scope.OPERATE)
@gives_location
@routes.input(league_schemas.NewLeague)
@routes.output(League, status_code=201)
def create(json_data: league_schemas.NewLeague) -> Response:
    """Makes a league that plays seasons; for operators."""
    with acting() as (session, actor, now):
        row = services.create(
            session,
            actor,
            name=json_data.name,
            game=json_data.game,
            options=json_data.options,
            seats=json_data.seats,
            deals=json_data.deals,
            continuous=json_data.continuous,
            separation=json_data.separation,
            format=json_data.format,
            admission=json_data.admission,
            schedule=json_data.schedule,
            settings=context().settings,
            now=now,
        )
        found = queries.league(session, actor, row.name)
    return made_at(url_for("leagues.league", name=found.name), found)


@routes.get("/leagues/<league:name>")
@needs(Scope.READ, public=True)
@routes.output(League)
def league(name: str) -> Response:
    """Returns a league, with the settings of its seasons and the start of the next one."""
    with context().read() as session:
        return answered(queries.league(session, viewer(session), name))


@routes.patch("/leagues/<league:name>")
@needs(Scope.OPERATE)
@routes.input(league_schemas.ChangedLeague)
@routes.output(League)
def edit(name: str, json_data: league_schemas.ChangedLeague) -> Response:
    """Changes the given fields of a league; for operators."""
    with acting() as (session, actor, now):
        services.edit(
            session,
            actor,
            name,
            deals=json_data.deals,
            paced=json_data.paced,
            separation=json_data.separation,
            format=json_data.format,
            admission=json_data.admission,
            schedule=json_data.schedule,
            now=now,
        )
    return league(name)


@routes.post("/leagues/<league:name>/invite")
@needs(Scope.OPERATE)
@routes.input(league_schemas.Inviting)
@routes.output(League)
def invite(name: str, json_data: league_schemas.Inviting) -> Response:
    """Lets an account enter the league's seasons; for operators."""
    with acting() as (session, actor, now):
        admission.invite(session, actor, name, json_data.user, now=now)
    return league(name)


@routes.post("/leagues/<league:name>/uninvite")
@needs(Scope.OPERATE)
@routes.input(league_schemas.Inviting)
@routes.output(League)
def uninvite(name: str, json_data: league_schemas.Inviting) -> Response:
    """Withdraws an invitation; for operators."""
    with acting() as (session, actor, now):
        admission.uninvite(session, actor, name, json_data.user, now=now)
    return league(name)


@routes.post("/leagues/<league:name>/pause")
@needs(Scope.OPERATE)
@routes.output(League)
def pause(name: str) -> Response:
    """Pauses a continuous league's queue, or the schedule of any other league; for operators."""
    return _set_paused(name, paused=True)


@routes.post("/leagues/<league:name>/resume")
@needs(Scope.OPERATE)
@routes.output(League)
def resume(name: str) -> Response:
    """Resumes a paused league; for operators."""
    return _set_paused(name, paused=False)


def _set_paused(name: str, *, paused: bool) -> Response:
    with acting() as (session, actor, now):
        services.set_paused(session, actor, name, paused, now=now)
    return league(name)
