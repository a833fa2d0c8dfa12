"""Versions: the verdict, the bytes for those who may have them, and a second try-out."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.bots import Version
from matchbox.errors import Forbidden
from server import queries
from server.auth import context, operator, viewer
from server.routes.responses import answered, described
from server.rows import version_row
from server.scopes import Scope, needs
from server.services import accounts, tryouts

routes = APIBlueprint("versions", __name__, url_prefix="/api/v1", tag="Versions")


@routes.get("/versions/<version:version>")
@needs(Scope.READ)
@routes.output(Version)
def version(version: str) -> Response:
    """A version, by number or digest, with its validation report, null while the verdict is out."""
    with context().read() as session:
        return answered(queries.version(session, version, viewer(session)))


@routes.get("/versions/<version:version>/bundle")
@needs(Scope.READ)
@routes.doc(responses=described("The uploaded bytes", "application/octet-stream"))
def bundle(version: str) -> Response:
    """The uploaded bytes: for the owner and operators, and of the house's bots for everybody."""
    with context().read() as session:
        found = queries.version(session, version, viewer(session))
        if not found.mine and found.owner != accounts.HOUSE:
            raise Forbidden("a bot's file is for its owner and operators; this one is not yours")
        data = queries.bundle(session, found.digest)
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
    try_again(number)
    with context().read() as session:
        return answered(queries.version(session, number, viewer(session)))


def try_again(number: int) -> None:
    """An operator's step with a version that is parked."""
    made = context()
    with made.write() as session:
        user = operator(session)
        row = version_row(session, number)
        tryouts.try_again(session, user, row, settings=made.settings, now=made.now())
