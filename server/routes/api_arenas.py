"""The operators' actions on arenas: stop them, resume them, make their matches void.

Also their actions on the keys of arenas on other hosts: make, drain, undrain, remove.
"""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.arenas import ArenaKey, ArenaKeys, ArenaMatches, ArenaVoid, FreshArenaKey
from matchbox.answers.health import ArenaLine
from server.auth import account, acting, context, signed_in
from server.routes import schemas
from server.routes.responses import answered
from server.scopes import Scope, needs
from server.services import arena_keys, arena_lines, arena_voids, arenas
from server.times import parse_time_ms

routes = APIBlueprint("arenas", __name__, url_prefix="/api/v1", tag="Operations")


@routes.post("/arenas/<arena:arena>/stop")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(ArenaLine)
def stop(arena: str, json_data: schemas.Reason) -> Response:
    """Stops an arena: it gets no jobs until an operator lets it continue; for operators."""
    with acting() as (session, actor, now):
        arenas.stop(session, actor, arena, json_data.reason, now=now)
    return _line(arena)


@routes.post("/arenas/<arena:arena>/go-on")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(ArenaLine)
def go_on(arena: str, json_data: schemas.Reason) -> Response:
    """Lets a stopped arena continue; for operators."""
    with acting() as (session, actor, now):
        arenas.resume(session, actor, arena, json_data.reason, now=now)
    return _line(arena)


@routes.get("/arenas/<arena:arena>/matches")
@needs(Scope.OPERATE)
@routes.input(schemas.SinceTime, location="query")
@routes.output(ArenaMatches)
def count_matches(arena: str, query_data: schemas.SinceTime) -> Response:
    """Counts the matches that ended on an arena since a time and can be made void; for operators.

    Pass the `until` of the answer to the request that makes them void, so that it affects just
    these.
    """
    ctx = context()
    with ctx.read() as session:
        times = {"since": parse_time_ms(query_data.since), "until": ctx.now()}
        return answered(arena_voids.count(session, account(session), arena, **times))


@routes.post("/arenas/<arena:arena>/void")
@needs(Scope.OPERATE)
@routes.input(schemas.VoidArena)
@routes.output(ArenaVoid)
def void(arena: str, json_data: schemas.VoidArena) -> Response:
    """Makes all matches void that ended on an arena since a time; for operators."""
    ctx, body = context(), json_data
    until = parse_time_ms(body.until) if body.until else ctx.now()
    times = {"since": parse_time_ms(body.since), "until": until}
    return answered(
        arena_voids.void(ctx, signed_in(), acting, arena, body.reason, again=body.again, **times)
    )


@routes.get("/arena-keys")
@needs(Scope.OPERATE)
@routes.output(ArenaKeys)
def list_keys() -> Response:
    """Lists the keys of arenas on other hosts; for operators."""
    ctx = context()
    with ctx.read() as session:
        return answered(arena_keys.keys_for(session, account(session), now=ctx.now()))


@routes.post("/arena-keys")
@needs(Scope.OPERATE)
@routes.input(schemas.NewArenaKey)
@routes.output(FreshArenaKey, status_code=201)
def make_key(json_data: schemas.NewArenaKey) -> Response:
    """Makes a key for a host that plays from afar; its secret is shown only once. For operators."""
    with acting() as (session, actor, now):
        return answered(arena_keys.make(session, actor, json_data.name, now=now), 201)


@routes.post("/arena-keys/<name:key>/drain")
@needs(Scope.OPERATE)
@routes.output(ArenaKey)
def drain(key: str) -> Response:
    """Gives the arenas of a key no new jobs; they finish those that they have. For operators."""
    with acting() as (session, actor, now):
        arena_keys.drain(session, actor, key, now=now)
    return _key(key)


@routes.post("/arena-keys/<name:key>/undrain")
@needs(Scope.OPERATE)
@routes.output(ArenaKey)
def undrain(key: str) -> Response:
    """Gives the arenas of a draining key jobs again; for operators."""
    with acting() as (session, actor, now):
        arena_keys.undrain(session, actor, key, now=now)
    return _key(key)


@routes.post("/arena-keys/<name:key>/remove")
@needs(Scope.OPERATE)
@routes.output(ArenaKey)
def remove_key(key: str) -> Response:
    """Revokes a key for ever; the jobs of its arenas are given to others. For operators."""
    with acting() as (session, actor, now):
        arena_keys.remove(session, actor, key, now=now)
    return _key(key)


def _key(name: str) -> Response:
    ctx = context()
    with ctx.read() as session:
        return answered(arena_keys.line(session, name, now=ctx.now()))


def _line(arena: str) -> Response:
    ctx = context()
    with ctx.read() as session:
        return answered(arena_lines.arena_for(session, account(session), arena, now=ctx.now()))
