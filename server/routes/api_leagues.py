"""Leagues: listed, told, made, paused."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, jsonify, url_for

from server import queries
from server.auth import context, operator
from server.routes import asked, told
from server.routes.lists import made_at, whole_list
from server.rows import league_row
from server.services import leagues as services

routes = APIBlueprint("leagues", __name__, url_prefix="/api/v1", tag="Leagues")


@routes.get("/leagues")
@routes.output(told.Leagues)
def leagues() -> Response:
    """Every league; the continuous one of a game bears the game's name."""
    with context().read() as books:
        return whole_list(queries.leagues(books))


@routes.post("/leagues")
@routes.input(asked.NewLeague)
@routes.output(told.League, status_code=201)
def create(json_data: asked.NewLeague) -> Response:
    """A league of an operator's own, for seasons."""
    made = context()
    with made.write() as books:
        user = operator(books)
        wanted = json_data.model_dump()
        row = services.create(books, user, **wanted, settings=made.settings, now=made.now())
        location = url_for("leagues.league", name=row.name)
        return made_at(location, queries.league(books, row.name))


@routes.get("/leagues/<name:name>")
@routes.output(told.League)
def league(name: str) -> Response:
    """A league."""
    with context().read() as books:
        return jsonify(queries.league(books, name))


@routes.post("/leagues/<name:name>/pause")
@routes.output(told.League)
def pause(name: str) -> Response:
    """Stops feeding a continuous league's queue; for operators."""
    return _set_paused(name, paused=True)


@routes.post("/leagues/<name:name>/resume")
@routes.output(told.League)
def resume(name: str) -> Response:
    """Goes on feeding a continuous league's queue; for operators."""
    return _set_paused(name, paused=False)


def _set_paused(name: str, *, paused: bool) -> Response:
    made = context()
    with made.write() as books:
        user = operator(books)
        services.set_paused(books, user, league_row(books, name), paused, now=made.now())
        return jsonify(queries.league(books, name))
