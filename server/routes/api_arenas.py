"""The operators' actions on arenas: stop, let go on, make their matches void."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.arenas import ArenaMatches, ArenaVoid
from matchbox.answers.health import ArenaLine
from server.auth import account, acting, context, signed_in
from server.queries.pagination import moment
from server.routes import schemas
from server.routes.responses import answered
from server.scopes import Scope, needs
from server.services import arena_voids, arenas, health

routes = APIBlueprint("arenas", __name__, url_prefix="/api/v1/arenas", tag="Operations")


@routes.post("/<arena:arena>/stop")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(ArenaLine)
def stop(arena: str, json_data: schemas.Reason) -> Response:
    """Stops an arena: it gets no jobs until it is let go on; for operators."""
    with acting() as (session, actor, now):
        arenas.stop(session, actor, arena, json_data.reason, now=now)
    return _line(arena)


@routes.post("/<arena:arena>/go-on")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(ArenaLine)
def go_on(arena: str, json_data: schemas.Reason) -> Response:
    """Lets a stopped arena go on; for operators."""
    with acting() as (session, actor, now):
        arenas.let_go_on(session, actor, arena, json_data.reason, now=now)
    return _line(arena)


@routes.get("/<arena:arena>/matches")
@needs(Scope.OPERATE)
@routes.input(schemas.SinceTime, location="query")
@routes.output(ArenaMatches)
def count_matches(arena: str, query_data: schemas.SinceTime) -> Response:
    """Counts the matches that ended on an arena since a time and can be made void; for operators.

    Give its `until` to the request that makes them void: then just these are meant.
    """
    made = context()
    with made.read() as session:
        times = {"since": moment(query_data.since), "until": made.now()}
        return answered(arena_voids.count(session, account(session), arena, **times))


@routes.post("/<arena:arena>/void")
@needs(Scope.OPERATE)
@routes.input(schemas.ArenaVoid)
@routes.output(ArenaVoid)
def void(arena: str, json_data: schemas.ArenaVoid) -> Response:
    """Makes all matches void that ended on an arena since a time; for operators."""
    made, body = context(), json_data
    until = moment(body.until) if body.until else made.now()
    times = {"since": moment(body.since), "until": until}
    return answered(
        arena_voids.void(made, signed_in(), arena, body.reason, again=body.again, **times)
    )


def _line(arena: str) -> Response:
    made = context()
    with made.read() as session:
        return answered(health.arena_for(session, account(session), arena, now=made.now()))
