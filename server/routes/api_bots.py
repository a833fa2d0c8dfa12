"""Bots: upload, list, show, activate, retire."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.bots import Bot, Bots, Version
from matchbox.answers.faults import FaultList
from matchbox.answers.standings import Ratings
from matchbox.bundle import read_bundle
from server import queries
from server.auth import acting, context, viewer
from server.queries import history
from server.queries.bot_faults import bot_faults
from server.rate_limits import client_network
from server.routes import schemas
from server.routes.api_versions import whole_version
from server.routes.responses import answered, gives_location, made_at
from server.routes.upload_body import read_upload, request_body
from server.scopes import Scope, needs
from server.services import uploads

routes = APIBlueprint("bots", __name__, url_prefix="/api/v1", tag="Bots")


@routes.get("/bots")
@needs(Scope.READ, public=True)
@routes.input(schemas.BotsPage, location="query")
@routes.output(Bots)
def bots(query_data: schemas.BotsPage) -> Response:
    """Lists the bots, a page at a time; `game` and `owner` narrow the list."""
    with context().read() as session:
        return answered(queries.bots(session, **query_data.model_dump()))


@routes.post("/bots")
@needs(Scope.SUBMIT)
@gives_location
@routes.output(Version, status_code=201)
@routes.doc(extensions={"requestBody": request_body(schemas.NewBot)})
def upload() -> Response:
    """Uploads a new bot, or the next version of one; poll the Location for the verdict.

    Uploading the same file again returns the version that already exists.
    """
    form, data = read_upload(schemas.NewBot)
    return _upload(form.game, form.name, form.class_name, data)


@routes.post("/bots/<name:name>/versions")
@needs(Scope.SUBMIT)
@gives_location
@routes.output(Version, status_code=201)
@routes.doc(extensions={"requestBody": request_body(schemas.NewVersion)})
def upload_version(name: str) -> Response:
    """Uploads the next version of one of your bots; poll the Location for the verdict."""
    form, data = read_upload(schemas.NewVersion)
    return _upload(None, name, form.class_name, data)


@routes.get("/bots/<name:owner>/<name:name>")
@needs(Scope.READ, public=True)
@routes.output(Bot)
def bot(owner: str, name: str) -> Response:
    """Returns a bot with its versions; only its owner and operators see the logs in the reports."""
    with context().read() as session:
        return answered(queries.bot(session, viewer(session), owner, name))


@routes.get("/bots/<name:owner>/<name:name>/ratings")
@needs(Scope.READ, public=True)
@routes.output(Ratings)
def ratings(owner: str, name: str) -> Response:
    """Returns the rating history of each of the bot's versions, oldest first."""
    with context().read() as session:
        return answered(Ratings(items=history.ratings(session, owner, name), next=None))


@routes.get("/bots/<name:owner>/<name:name>/faults")
@needs(Scope.READ, public=True)
@routes.input(schemas.Page, location="query")
@routes.output(FaultList)
def faults(owner: str, name: str, query_data: schemas.Page) -> Response:
    """Lists the bot's faults, newest match first; only its owner and operators get details."""
    with context().read() as session:
        page = query_data.model_dump()
        return answered(bot_faults(session, viewer(session), owner, name, **page))


@routes.post("/bots/<name:owner>/<name:name>/activate")
@needs(Scope.SUBMIT)
@routes.input(schemas.Activation)
@routes.output(Version)
def activate(owner: str, name: str, json_data: schemas.Activation) -> Response:
    """Makes an accepted version the active one, with which the bot plays."""
    with acting() as (session, actor, now):
        row = uploads.activate(session, actor, f"{owner}/{name}", json_data.version, now=now)
    return answered(whole_version(row.id))


@routes.post("/bots/<name:owner>/<name:name>/retire")
@needs(Scope.SUBMIT)
@routes.output(Bot)
def retire(owner: str, name: str) -> Response:
    """Removes the bot from every leaderboard for ever; its matches stay."""
    with acting() as (session, actor, now):
        uploads.retire(session, actor, f"{owner}/{name}", now=now)
    return bot(owner, name)


def _upload(game: str | None, name: str, class_name: str | None, data: bytes) -> Response:
    bundle = read_bundle(data)
    with acting() as (session, actor, now):
        row = uploads.upload(
            session,
            actor,
            game=game,
            name=name,
            data=data,
            bundle=bundle,
            class_name=class_name,
            network=client_network(),
            settings=context().settings,
            now=now,
        )
    return made_at(url_for("versions.version", version=str(row.id)), whole_version(row.id))
