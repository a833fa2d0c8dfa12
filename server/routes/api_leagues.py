"""Leagues: listed, told, made, edited, paused; who is invited."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.leagues import League, Leagues
from server import queries
from server.auth import context, operator, viewer
from server.routes import league_schemas
from server.routes.responses import answered, made_at
from server.rows import league_row
from server.scopes import Scope, needs
from server.services import admission
from server.services import leagues as services

routes = APIBlueprint("leagues", __name__, url_prefix="/api/v1", tag="Leagues")


@routes.get("/leagues")
@needs(Scope.READ)
@routes.output(Leagues)
def leagues() -> Response:
    """Every league; the continuous one of a game bears the game's name."""
    with context().read() as session:
        return answered(Leagues(items=queries.leagues(session), next=None))


@routes.post("/leagues")
@needs(Scope.OPERATE)
@routes.input(league_schemas.NewLeague)
@routes.output(League, status_code=201)
def create(json_data: league_schemas.NewLeague) -> Response:
    """A league of an operator's own, for seasons."""
    made = context()
    with made.write() as session:
        user = operator(session)
        wanted = json_data.model_dump(exclude_unset=True)
        row = services.create(session, user, **wanted, settings=made.settings, now=made.now())
        location = url_for("leagues.league", name=row.name)
        return made_at(location, queries.league(session, row.name, user))


@routes.get("/leagues/<name:name>")
@needs(Scope.READ)
@routes.output(League)
def league(name: str) -> Response:
    """A league: how its seasons are run, when the next one starts."""
    with context().read() as session:
        return answered(queries.league(session, name, viewer(session)))


@routes.patch("/leagues/<name:name>")
@needs(Scope.OPERATE)
@routes.input(league_schemas.ChangedLeague)
@routes.output(League)
def edit(name: str, json_data: league_schemas.ChangedLeague) -> Response:
    """Changes how a league is run: the fields that are given; for operators."""
    change(name, json_data.model_dump(exclude_unset=True))
    return _told(name)


@routes.post("/leagues/<name:name>/invite")
@needs(Scope.OPERATE)
@routes.input(league_schemas.Inviting)
@routes.output(League)
def invite(name: str, json_data: league_schemas.Inviting) -> Response:
    """Lets an account enter the league's seasons; for operators."""
    set_invited(name, json_data.user, invited=True)
    return _told(name)


@routes.post("/leagues/<name:name>/uninvite")
@needs(Scope.OPERATE)
@routes.input(league_schemas.Inviting)
@routes.output(League)
def uninvite(name: str, json_data: league_schemas.Inviting) -> Response:
    """Takes an invitation back; for operators."""
    set_invited(name, json_data.user, invited=False)
    return _told(name)


@routes.post("/leagues/<name:name>/pause")
@needs(Scope.OPERATE)
@routes.output(League)
def pause(name: str) -> Response:
    """Stops feeding a continuous league's queue, or the schedule of another; for operators."""
    set_paused(name, paused=True)
    return _told(name)


@routes.post("/leagues/<name:name>/resume")
@needs(Scope.OPERATE)
@routes.output(League)
def resume(name: str) -> Response:
    """Goes on with a league that is paused; for operators."""
    set_paused(name, paused=False)
    return _told(name)


def change(name: str, fields: services.Fields) -> None:
    """Changes how the league is run."""
    made = context()
    with made.write() as session:
        user = operator(session)
        services.edit(session, user, league_row(session, name), **fields, now=made.now())


def set_invited(name: str, user: str, *, invited: bool) -> None:
    """Invites the account to the league, or takes that back."""
    made = context()
    step = admission.invite if invited else admission.uninvite
    with made.write() as session:
        step(session, operator(session), league_row(session, name), user, now=made.now())


def set_paused(name: str, *, paused: bool) -> None:
    """Stops the league, or goes on with it."""
    made = context()
    with made.write() as session:
        user = operator(session)
        services.set_paused(session, user, league_row(session, name), paused, now=made.now())


def _told(name: str) -> Response:
    with context().read() as session:
        return answered(queries.league(session, name, viewer(session)))
