"""The length of the queue."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.matches import Queue
from matchbox.answers.queue import QueueDetail
from server import queries
from server.auth import context, viewer
from server.queries.job_queue import queue_detail
from server.routes.responses import answered
from server.scopes import Scope, needs

routes = APIBlueprint("queue", __name__, url_prefix="/api/v1", tag="Queue")


@routes.get("/queue")
@needs(Scope.READ, public=True)
@routes.output(Queue)
def queue() -> Response:
    """Returns the numbers of unfinished matches and try-outs."""
    ctx = context()
    with ctx.read() as session:
        return answered(queries.queue(session, now=ctx.now()))


@routes.get("/queue/jobs")
@needs(Scope.OPERATE)
@routes.output(QueueDetail)
def jobs() -> Response:
    """Returns the jobs that wait, by kind and in order, with places and reasons; for operators."""
    ctx = context()
    with ctx.read() as session:
        settings, now = ctx.settings, ctx.now()
        return answered(queue_detail(session, viewer(session), settings=settings, now=now))
