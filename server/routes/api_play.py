"""Tables where people play against bots: open, show, join, move, leave, close."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apiflask import APIBlueprint
from flask import jsonify, url_for

from matchbox.answers.play import Table, Tables
from server.auth import account, acting, context, viewer
from server.queries import play as queries
from server.routes import schemas
from server.routes.responses import answered, gives_location
from server.scopes import Scope, needs
from server.services import play as services
from server.services.positions import Place

if TYPE_CHECKING:
    from flask import Response

routes = APIBlueprint("play", __name__, url_prefix="/api/v1", tag="Play")


@routes.get("/tables")
@needs(Scope.READ)
@routes.input(schemas.TablesPage, location="query")
@routes.output(Tables)
def tables(query_data: schemas.TablesPage) -> Response:
    """Lists the tables at which you sit or sat, newest first; operators see all open ones, too."""
    which, settings = query_data.model_dump(), context().settings
    with context().read() as session:
        return answered(queries.tables(session, account(session), settings, **which))


@routes.post("/tables")
@needs(Scope.SUBMIT)
@gives_location
@routes.input(schemas.NewTable)
@routes.output(Table, status_code=201)
def open_table(json_data: schemas.NewTable) -> Response:
    """Opens a table against active bots; poll the Location until it is your turn.

    With a `place`, the game goes on from that position of a match.
    """
    wanted = json_data.model_dump(exclude={"place"})
    place = Place(**json_data.place.model_dump()) if json_data.place else None
    settings = context().settings
    with acting() as (session, actor, now):
        made = services.open_table(
            session, actor, **wanted, place=place, settings=settings, now=now
        )
    response = _table(made.id)
    response.status_code = 201
    response.headers["Location"] = url_for("play.table", table=made.id)
    return response


@routes.get("/tables/<digits:table>")
@needs(Scope.READ, public=True)
@routes.input(schemas.TableSince, location="query")
@routes.output(Table)
def table(table: str, query_data: schemas.TableSince) -> Response:
    """Returns a table as your seat sees it; once it is over, with its record."""
    return _table(table, query_data.since)


@routes.post("/tables/<digits:table>/join")
@needs(Scope.SUBMIT)
@routes.input(schemas.SeatTaking)
@routes.output(Table)
def join(table: str, json_data: schemas.SeatTaking) -> Response:
    """Takes a free seat, with the secret of the table's link."""
    with acting() as (session, actor, now):
        settings = context().settings
        services.join(session, actor, table, json_data.secret, settings=settings, now=now)
    return _table(table)


@routes.post("/tables/<digits:table>/moves")
@needs(Scope.SUBMIT)
@routes.input(schemas.PlayMove)
@routes.output(Table)
def move(table: str, json_data: schemas.PlayMove) -> Response:
    """Makes your move, one of the `choices` of the table."""
    played, turn, settings = json_data.move, json_data.turn, context().settings
    with acting() as (session, actor, now):
        services.move(session, actor, table, played, turn=turn, settings=settings, now=now)
    return _table(table)


@routes.post("/tables/<digits:table>/leave")
@needs(Scope.SUBMIT)
@routes.output(Table)
def leave(table: str) -> Response:
    """Leaves the table, which ends its game."""
    with acting() as (session, actor, now):
        services.leave(session, actor, table, now=now)
    return _table(table)


@routes.post("/tables/<digits:table>/close")
@needs(Scope.OPERATE)
@routes.output(Table)
def close(table: str) -> Response:
    """Ends a table's game; for operators."""
    with acting() as (session, actor, now):
        services.close(session, actor, table, now=now)
    return _table(table)


def _table(name: str, since: int = 0) -> Response:
    with context().read() as session:
        settings = context().settings
        asking = viewer(session)
        found = queries.table(session, asking, name, settings=settings, since=since)
        record = queries.plain_record(session, asking, name)
        return jsonify({**found.plain(), "record": record})
