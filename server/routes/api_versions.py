"""Versions: the verdict, the uploaded bytes, and a second try-out."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.bots import Version
from matchbox.bundle import ending
from server import queries
from server.auth import acting, context, viewer
from server.queries import waiting
from server.routes.responses import BYTES, answered, bytes_response, described
from server.scopes import Scope, needs
from server.services import tryouts

routes = APIBlueprint("versions", __name__, url_prefix="/api/v1", tag="Versions")


@routes.get("/versions/<version:version>")
@needs(Scope.READ, public=True)
@routes.output(Version)
def version(version: str) -> Response:
    """Returns a version, by number or digest; its report is null until the verdict."""
    return answered(whole_version(version))


@routes.get("/versions/<version:version>/bundle")
@needs(Scope.READ, public=True)
@routes.doc(responses=described("The uploaded bytes", BYTES))
def bundle(version: str) -> Response:
    """Returns the uploaded bytes to the owner and operators; a shipped bot's bytes to everybody."""
    with context().read() as session:
        found, data = queries.uploaded_file(session, viewer(session), version)
    kind = ending(data)
    return bytes_response(data, f"{found.name}-{found.number}.{kind}")


@routes.post("/versions/<number:number>/requeue")
@needs(Scope.OPERATE)
@routes.output(Version)
def requeue(number: int) -> Response:
    """Queues the try-out of a parked version again; for operators."""
    with acting() as (session, actor, now):
        tryouts.try_again(session, actor, number, settings=context().settings, now=now)
    return answered(whole_version(number))


def whole_version(name: int | str) -> Version:
    """Returns the version, by number or digest, as this visitor sees it."""
    ctx = context()
    with ctx.read() as session:
        settings, now = ctx.settings, ctx.now()
        return waiting.version(session, viewer(session), name, settings=settings, now=now)
