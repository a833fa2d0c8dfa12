"""The length of the queue."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.matches import Queue
from server import queries
from server.auth import context
from server.routes.responses import answered
from server.scopes import Scope, needs

routes = APIBlueprint("queue", __name__, url_prefix="/api/v1", tag="Queue")


@routes.get("/queue")
@needs(Scope.READ)
@routes.output(Queue)
def queue() -> Response:
    """Returns the numbers of unfinished matches and try-outs."""
    with context().read() as session:
        return answered(queries.queue(session))
