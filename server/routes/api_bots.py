"""Bots: uploaded, listed, told, activated, retired."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, url_for

from matchbox.answers.bots import Bot, Bots, Version
from matchbox.answers.standings import Ratings
from server import queries
from server.auth import account, context, viewer
from server.queries import history
from server.rate_limits import client_network
from server.routes import schemas
from server.routes.responses import answered, made_at
from server.routes.upload_body import read_upload, request_body
from server.rows import bot_row
from server.scopes import Scope, needs
from server.services import uploads

routes = APIBlueprint("bots", __name__, url_prefix="/api/v1", tag="Bots")


@routes.get("/bots")
@needs(Scope.READ)
@routes.input(schemas.BotsPage, location="query")
@routes.output(Bots)
def bots(query_data: schemas.BotsPage) -> Response:
    """A page of the bots, of one game or owner where asked."""
    with context().read() as session:
        return answered(queries.bots(session, **query_data.model_dump()))


@routes.post("/bots")
@needs(Scope.SUBMIT)
@routes.output(Version, status_code=201)
@routes.doc(extensions={"requestBody": request_body(schemas.NewBot)})
def upload() -> Response:
    """Uploads a bot, or its next version; then poll the Location for the verdict.

    The same file again answers with the version that is there.
    """
    form, data = read_upload(schemas.NewBot)
    return answer(take(form.game, form.name, form.class_name, data))


@routes.post("/bots/<name:name>/versions")
@needs(Scope.SUBMIT)
@routes.output(Version, status_code=201)
@routes.doc(extensions={"requestBody": request_body(schemas.NewVersion)})
def upload_version(name: str) -> Response:
    """Uploads the next version of a bot of yours; then poll the Location for the verdict."""
    form, data = read_upload(schemas.NewVersion)
    with context().read() as session:
        game = bot_row(session, account(session).name, name).game
    return answer(take(game, name, form.class_name, data))


@routes.get("/bots/<name:owner>/<name:name>")
@needs(Scope.READ)
@routes.output(Bot)
def bot(owner: str, name: str) -> Response:
    """A bot with its versions; reports hold logs for its owner and operators."""
    with context().read() as session:
        return answered(queries.bot(session, owner, name, viewer(session)))


@routes.get("/bots/<name:owner>/<name:name>/ratings")
@needs(Scope.READ)
@routes.output(Ratings)
def ratings(owner: str, name: str) -> Response:
    """How the rating of each of the bot's versions has moved, oldest first."""
    with context().read() as session:
        points = history.ratings(session, bot_row(session, owner, name))
        return answered(Ratings(items=points, next=None))


@routes.post("/bots/<name:owner>/<name:name>/activate")
@needs(Scope.SUBMIT)
@routes.input(schemas.Activation)
@routes.output(Version)
def activate(owner: str, name: str, json_data: schemas.Activation) -> Response:
    """Makes an accepted version the one that the bot plays with."""
    made = context()
    with made.write() as session:
        user = account(session)
        row = bot_row(session, owner, name)
        version = uploads.activate(session, user, row, json_data.version, now=made.now())
        number = version.id
    with made.read() as session:
        return answered(queries.version(session, number, viewer(session)))


@routes.post("/bots/<name:owner>/<name:name>/retire")
@needs(Scope.SUBMIT)
@routes.output(Bot)
def retire(owner: str, name: str) -> Response:
    """Takes the bot from every board for ever; its games stay."""
    made = context()
    with made.write() as session:
        user = account(session)
        uploads.retire(session, user, bot_row(session, owner, name), now=made.now())
    with made.read() as session:
        return answered(queries.bot(session, owner, name, viewer(session)))


def take(game: str, name: str, class_name: str | None, data: bytes) -> int:
    """Hands the file to the books; the version's number."""
    made = context()
    with made.write() as session:
        version = uploads.upload(
            session,
            account(session),
            game=game,
            name=name,
            data=data,
            class_name=class_name,
            network=client_network(),
            settings=made.settings,
            now=made.now(),
        )
        return version.id


def answer(version: int) -> Response:
    """What every upload is answered with."""
    with context().read() as session:
        found = queries.version(session, version, viewer(session))
    location = url_for("versions.version", version=str(version))
    return made_at(location, found)
