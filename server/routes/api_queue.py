"""How much waits."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, jsonify

from server import queries
from server.auth import context
from server.routes import told
from server.scopes import Scope, needs

routes = APIBlueprint("queue", __name__, url_prefix="/api/v1", tag="Queue")


@routes.get("/queue")
@needs(Scope.READ)
@routes.output(told.Queue)
def queue() -> Response:
    """Matches and try-outs that are not done yet."""
    with context().read() as books:
        return jsonify(queries.queue(books))
