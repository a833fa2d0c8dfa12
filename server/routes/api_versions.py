"""Versions: the verdict, the bytes for those who may have them, and a second try-out."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, jsonify

from matchbox.errors import Forbidden
from server import queries
from server.auth import context, operator, viewer
from server.routes import told
from server.routes.responses import described
from server.rows import version_row
from server.scopes import Scope, needs
from server.services import accounts, tryouts

routes = APIBlueprint("versions", __name__, url_prefix="/api/v1", tag="Versions")


@routes.get("/versions/<version:version>")
@needs(Scope.READ)
@routes.output(told.Version)
def version(version: str) -> Response:
    """A version, by number or digest, with its validation report, null while the verdict is out."""
    with context().read() as books:
        return jsonify(queries.version(books, version, viewer(books)))


@routes.get("/versions/<version:version>/bundle")
@needs(Scope.READ)
@routes.doc(responses=described("The uploaded bytes", "application/octet-stream"))
def bundle(version: str) -> Response:
    """The uploaded bytes: for the owner and operators, and of the house's bots for everybody."""
    with context().read() as books:
        told_version = queries.version(books, version, viewer(books))
        if not told_version["mine"] and told_version["owner"] != accounts.HOUSE:
            raise Forbidden("a bot's file is for its owner and operators; this one is not yours")
        data = queries.bundle(books, told_version["digest"])
    response = Response(data, mimetype="application/octet-stream")
    kind = "zip" if data[:2] == b"PK" else "py"
    name = f"{told_version['name']}-{told_version['number']}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@routes.post("/versions/<number:number>/requeue")
@needs(Scope.OPERATE)
@routes.output(told.Version)
def requeue(number: int) -> Response:
    """Sends a parked version's try-out once more; for operators."""
    try_again(number)
    with context().read() as books:
        return jsonify(queries.version(books, number, viewer(books)))


def try_again(number: int) -> None:
    """An operator's step with a version that is parked."""
    made = context()
    with made.write() as books:
        user = operator(books)
        row = version_row(books, number)
        tryouts.try_again(books, user, row, settings=made.settings, now=made.now())
