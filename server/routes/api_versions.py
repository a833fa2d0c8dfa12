"""Versions: the verdict, the bytes for those who may have them, and a second try-out."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.bots import Version
from server import queries
from server.auth import acting, context, viewer
from server.routes.responses import answered, described
from server.scopes import Scope, needs
from server.services import tryouts

routes = APIBlueprint("versions", __name__, url_prefix="/api/v1", tag="Versions")


@routes.get("/versions/<version:version>")
@needs(Scope.READ)
@routes.output(Version)
def version(version: str) -> Response:
    """A version, by number or digest, with its validation report, null while the verdict is out."""
    return _version(version)


@routes.get("/versions/<version:version>/bundle")
@needs(Scope.READ)
@routes.doc(responses=described("The uploaded bytes", "application/octet-stream"))
def bundle(version: str) -> Response:
    """The uploaded bytes: for the owner and operators, and of the house's bots for everybody."""
    with context().read() as session:
        found, data = queries.uploaded_file(session, version, viewer(session))
    response = Response(data, mimetype="application/octet-stream")
    kind = "zip" if data[:2] == b"PK" else "py"
    name = f"{found.name}-{found.number}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@routes.post("/versions/<number:number>/requeue")
@needs(Scope.OPERATE)
@routes.output(Version)
def requeue(number: int) -> Response:
    """Sends a parked version's try-out once more; for operators."""
    with acting() as (session, actor, now):
        tryouts.try_again(session, actor, number, settings=context().settings, now=now)
    return _version(number)


def _version(name: int | str) -> Response:
    with context().read() as session:
        return answered(queries.version(session, name, viewer(session)))
