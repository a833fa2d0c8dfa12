"""Matches: listed, told with their records, and what the bots printed in them."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response, jsonify
from msgspec import to_builtins

from server import queries
from server.auth import context, viewer
from server.routes import asked, told
from server.routes.responses import whole_list
from server.scopes import Scope, needs

routes = APIBlueprint("matches", __name__, url_prefix="/api/v1", tag="Matches")


@routes.get("/matches")
@needs(Scope.READ)
@routes.input(asked.MatchesPage, location="query")
@routes.output(told.Matches)
def matches(query_data: asked.MatchesPage) -> Response:
    """A page of the matches, newest first."""
    with context().read() as books:
        return jsonify(queries.matches(books, **query_data.model_dump()))


@routes.get("/matches/<match:match>")
@needs(Scope.READ)
@routes.output(told.Match)
def match(match: str) -> Response:
    """A match with its record; under embargo `record` is null and `embargo` says why."""
    return jsonify(told_match(match))


@routes.get("/matches/<match:match>/log")
@needs(Scope.READ)
@routes.output(told.Logs)
def log(match: str) -> Response:
    """What your own bots printed and reported; an operator sees all that was printed."""
    with context().read() as books:
        return whole_list(queries.match_log(books, match, viewer(books)))


def told_match(match: str) -> dict[str, Any]:
    """The match with its record, as the API tells it."""
    with context().read() as books:
        row = queries.match(books, match, viewer(books))
        played = row.get("digest") is not None
        record = to_builtins(queries.record_of(books, match)) if played else None
    return {**row, "record": record}
