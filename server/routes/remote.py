"""The routes for arenas on other hosts, which present a key that an operator has made.

They are those that `internal` has for arenas here, and three more: an arena joins, asks for a job,
and sends a long result in parts. It gets only the files that its job needs.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from apiflask import APIBlueprint
from flask import Response, g, jsonify, request

from matchbox.errors import ArenaStopped, Unavailable
from matchbox.match import wire
from server import queries
from server.auth import context, remote_only
from server.queries import lessons
from server.routes.internal import json_object
from server.routes.responses import bytes_response
from server.services import booking, job_kinds, remote_arenas

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

routes = APIBlueprint("remote", __name__, url_prefix="/remote", enable_openapi=False)


@routes.before_request
def let_keys_in() -> None:
    """Refuses everybody but arenas with a key that works."""
    remote_only()


@routes.post("/joins")
def join() -> Response:
    """Returns the arena's full name, if it may play here. 426 if it must be updated first."""
    remote_arenas.check(json_object(), context().settings)
    return jsonify({"arena": g.arena})


@routes.post("/jobs")
def take() -> ResponseReturnValue:
    """Returns the next job as {"task", "message"}; 204 if there is none now.

    409 if the arena must report its wall first, 423 if it gets no jobs, 426 if it must be updated.
    """
    found = remote_arenas.take(context(), g.arena, json_object())
    if found is None:
        return "", 204
    task, message = found
    return jsonify({"task": task, "message": message})


@routes.get("/bundles/<digest:digest>")
def bundle(digest: str) -> Response:
    """Returns the uploaded bytes with that digest, if the arena's job needs them."""
    with context().read() as session:
        remote_arenas.require_file(session, g.arena, digest)
        return bytes_response(queries.bundle(session, digest))


@routes.get("/memories/<digest:digest>")
def memory(digest: str) -> Response:
    """Returns the memory with that digest, if the arena's job needs it."""
    with context().read() as session:
        remote_arenas.require_file(session, g.arena, digest)
        return bytes_response(lessons.memory(session, digest))


@routes.get("/records/<digits:match>")
def record(match: str) -> Response:
    """Returns the packed record of a match, if the arena's job needs it."""
    with context().read() as session:
        remote_arenas.require_file(session, g.arena, match)
        return bytes_response(lessons.packed_record(session, match))


@routes.post("/claims")
def claim() -> ResponseReturnValue:
    """Renews the lease of the arena's job.

    409 if the arena does not hold the job, 423 if it is stopped.
    """
    ctx = context()
    with ctx.write() as session:
        told, now = json_object(), ctx.now()
        granted = remote_arenas.claim(session, g.arena, told, settings=ctx.settings, now=now)
    if not granted:
        raise ArenaStopped(remote_arenas.stopped(g.arena))
    return "", 204


@routes.post("/parts/<int(max=999):position>")
def part(position: int) -> ResponseReturnValue:
    """Keeps a part of a long result, the first one at position 0.

    409 if the arena does not hold the job that the result is of.
    """
    ctx, data = context(), request.get_data()
    token = request.headers.get(wire.JOB_HEADER, "")
    with ctx.write() as session:
        remote_arenas.add_part(session, g.arena, token, position, data, settings=ctx.settings)
    return "", 204


@routes.post("/results")
def result() -> Response:
    """Accepts {"task", "message"}, or an empty object after the parts of such a text.

    Returns whether it changed any row. The parts are kept until the result is booked, so that the
    arena may send the empty object again. Once it is booked, that changes nothing.
    """
    body = json_object()
    in_parts = not body
    task, message = str(body.get("task")), body.get("message")
    if in_parts:
        with context().read() as session:
            text = remote_arenas.joined_parts(session, g.arena)
        if not text:
            return jsonify({"accepted": False})
        task, message = job_kinds.decode(text)
    changed = booking.book(context(), task, message, holder=g.arena)
    if in_parts:
        # If this fails, the arena's next job deletes them.
        with suppress(Unavailable), context().write() as session:
            remote_arenas.delete_parts(session, g.arena)
    return jsonify({"accepted": changed})


@routes.post("/walls")
def wall() -> ResponseReturnValue:
    """Stores the arena's report about its box, and renews the lease of its job."""
    ctx = context()
    with ctx.write() as session:
        remote_arenas.report(session, g.arena, json_object(), settings=ctx.settings, now=ctx.now())
    return "", 204
