"""Comparisons of your versions: asked for, listed, told, cancelled."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.comparisons import Comparison, Comparisons
from server.auth import account, context, viewer
from server.queries import comparisons as queries
from server.routes import schemas
from server.routes.responses import answered, made_at
from server.rows import named_bot
from server.scopes import Scope, needs
from server.services import comparisons as services

routes = APIBlueprint("comparisons", __name__, url_prefix="/api/v1", tag="Comparisons")


@routes.get("/comparisons")
@needs(Scope.READ)
@routes.input(schemas.ComparisonsPage, location="query")
@routes.output(Comparisons)
def comparisons(query_data: schemas.ComparisonsPage) -> Response:
    """A page of your comparisons, of one bot where asked, newest first."""
    with context().read() as session:
        return answered(queries.comparisons(session, account(session), **query_data.model_dump()))


@routes.post("/comparisons")
@needs(Scope.SUBMIT)
@routes.input(schemas.NewComparison)
@routes.output(Comparison, status_code=201)
def ask(json_data: schemas.NewComparison) -> Response:
    """Asks whether one version of a bot of yours is better than another; poll the Location."""
    asked = json_data.model_dump()
    number = begin(asked.pop("bot"), **asked)
    with context().read() as session:
        told = queries.comparison(session, number, viewer(session))
    return made_at(url_for("comparisons.comparison", number=number), told)


@routes.get("/comparisons/<number:number>")
@needs(Scope.READ)
@routes.output(Comparison)
def comparison(number: int) -> Response:
    """A comparison with what it has found so far; for who asked, and operators."""
    with context().read() as session:
        return answered(queries.comparison(session, number, viewer(session)))


@routes.post("/comparisons/<number:number>/cancel")
@needs(Scope.SUBMIT)
@routes.output(Comparison)
def cancel(number: int) -> Response:
    """Ends a comparison; what was not played is void, and costs nothing."""
    end(number)
    with context().read() as session:
        return answered(queries.comparison(session, number, viewer(session)))


def begin(bot: str, **asked: Any) -> int:
    """Begins a comparison of a bot, as owner/name or one's own by its name; its number."""
    made = context()
    with made.write() as session:
        user = account(session)
        row = services.ask(
            session,
            user,
            named_bot(session, bot, user),
            **asked,
            settings=made.settings,
            now=made.now(),
        )
        return row.id


def end(number: int) -> None:
    """Cancels a comparison."""
    made = context()
    with made.write() as session:
        services.cancel(session, account(session), services.find(session, number), now=made.now())
