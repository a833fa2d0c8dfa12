"""Matches: list them, show one with its record, and read the bots' output."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, jsonify
from msgspec import to_builtins

from matchbox.answers.matches import Logs, Match, Matches, MatchVerification
from server import queries
from server.auth import acting, context, viewer
from server.queries import verifications, waiting
from server.routes import schemas
from server.routes.responses import answered
from server.scopes import Scope, needs
from server.services import match_verifications

routes = APIBlueprint("matches", __name__, url_prefix="/api/v1", tag="Matches")


@routes.get("/matches")
@needs(Scope.READ, public=True)
@routes.input(schemas.MatchesPage, location="query")
@routes.output(Matches)
def matches(query_data: schemas.MatchesPage) -> Response:
    """Lists the matches, newest first, a page at a time."""
    with context().read() as session:
        return answered(queries.matches(session, **query_data.model_dump()))


@routes.get("/matches/<match:match>")
@needs(Scope.READ, public=True)
@routes.output(Match)
def match(match: str) -> Response:
    """Returns a match with its record; under embargo `record` is null and `embargo` says why."""
    return whole_match(match)


@routes.get("/matches/<match:match>/verification")
@needs(Scope.READ, public=True)
@routes.output(MatchVerification)
def verification(match: str) -> Response:
    """Returns the result of the newest verification of the match."""
    with context().read() as session:
        return answered(verifications.verification(session, match))


@routes.post("/matches/<match:match>/verification")
@needs(Scope.SUBMIT)
@routes.output(MatchVerification, status_code=202)
def verify(match: str) -> Response:
    """Has an arena play the match again; poll this address for the finding."""
    with acting() as (session, actor, now):
        settings = context().settings
        row = match_verifications.ask(session, actor, match, settings=settings, now=now)
        return answered(verifications.answer_of(row), 202)


@routes.get("/matches/<match:match>/log")
@needs(Scope.READ)
@routes.output(Logs)
def log(match: str) -> Response:
    """Returns the output and the reports of your own bots; operators see the output of all bots."""
    with context().read() as session:
        lines = queries.match_log(session, viewer(session), match)
        return answered(Logs(items=lines, next=None))


def whole_match(match: str) -> Response:
    """Returns the match with its record. The record may be long, so it is not copied on the way."""
    ctx = context()
    with ctx.read() as session:
        settings, now = ctx.settings, ctx.now()
        found = waiting.match(session, viewer(session), match, settings=settings, now=now)
        played = found.bouts is not None
        record = to_builtins(queries.record_of(session, match)) if played else None
    return jsonify({**found.plain(), "record": record})
