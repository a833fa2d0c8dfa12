"""Comparisons of two versions of a bot: start, list, show, cancel."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.comparisons import Comparison, Comparisons
from server.auth import account, acting, context, viewer
from server.queries import comparisons as queries
from server.routes import schemas
from server.routes.responses import answered, gives_location, made_at
from server.scopes import Scope, needs
from server.services import comparisons as services

routes = APIBlueprint("comparisons", __name__, url_prefix="/api/v1", tag="Comparisons")


@routes.get("/comparisons")
@needs(Scope.READ)
@routes.input(schemas.ComparisonsPage, location="query")
@routes.output(Comparisons)
def comparisons(query_data: schemas.ComparisonsPage) -> Response:
    """Lists your comparisons, newest first, a page at a time; `bot` narrows the list."""
    with context().read() as session:
        return answered(queries.comparisons(session, account(session), **query_data.model_dump()))


@routes.post("/comparisons")
@needs(Scope.SUBMIT)
@gives_location
@routes.input(schemas.NewComparison)
@routes.output(Comparison, status_code=201)
def start(json_data: schemas.NewComparison) -> Response:
    """Starts a comparison of two versions of one of your bots; poll the Location for the result."""
    wanted = json_data.model_dump()
    with acting() as (session, actor, now):
        settings = context().settings
        row = services.start(
            session, actor, wanted.pop("bot"), **wanted, settings=settings, now=now
        )
        found = queries.comparison(session, actor, row.id)
    return made_at(url_for("comparisons.comparison", number=found.id), found)


@routes.get("/comparisons/<number:number>")
@needs(Scope.READ)
@routes.output(Comparison)
def comparison(number: int) -> Response:
    """Returns a comparison with its results so far; for its owner and operators."""
    with context().read() as session:
        return answered(queries.comparison(session, viewer(session), number))


@routes.post("/comparisons/<number:number>/cancel")
@needs(Scope.SUBMIT)
@routes.output(Comparison)
def cancel(number: int) -> Response:
    """Cancels a comparison; its unfinished matches become void.

    Matches that were not sent yet do not count against your limits.
    """
    with acting() as (session, actor, now):
        services.cancel(session, actor, number, now=now)
    return comparison(number)
