"""Matches: listed, told with their records, and what the bots printed in them."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response, jsonify
from msgspec import to_builtins

from server import queries
from server.auth import context, operator, viewer
from server.routes import asked, told
from server.routes.lists import whole_list
from server.rows import match_row
from server.services import matches as services

routes = APIBlueprint("matches", __name__, url_prefix="/api/v1", tag="Matches")


@routes.get("/matches")
@routes.input(asked.MatchesPage, location="query")
@routes.output(told.Matches)
def matches(query_data: asked.MatchesPage) -> Response:
    """A page of the matches, newest first."""
    with context().read() as books:
        return jsonify(queries.matches(books, **query_data.model_dump()))


@routes.get("/matches/<match:match>")
@routes.output(told.Match)
def match(match: str) -> Response:
    """A match with its record; under embargo `record` is null and `embargo` says why."""
    return jsonify(_told(match))


@routes.get("/matches/<match:match>/log")
@routes.output(told.Logs)
def log(match: str) -> Response:
    """What your own bots printed and reported; an operator sees all that was printed."""
    with context().read() as books:
        return whole_list(queries.match_log(books, match, viewer(books)))


@routes.post("/matches/<match:match>/requeue")
@routes.output(told.Match)
def requeue(match: str) -> Response:
    """Gives a parked match another chance; for operators."""
    change(match, again=True)
    return jsonify(_told(match))


@routes.post("/matches/<match:match>/void")
@routes.output(told.Match)
def void(match: str) -> Response:
    """Takes an unfinished match off the books; for operators."""
    change(match, again=False)
    return jsonify(_told(match))


def change(match: str, *, again: bool) -> None:
    """An operator's step with a match: played again, or void."""
    made = context()
    step = services.requeue if again else services.void
    with made.write() as books:
        step(books, operator(books), match_row(books, match), now=made.now())


def _told(match: str) -> dict[str, Any]:
    with context().read() as books:
        row = queries.match(books, match, viewer(books))
        readable = row["state"] == "finished" and not row["embargo"]
        record = to_builtins(queries.record_of(books, match)) if readable else None
    return {**row, "record": record}
