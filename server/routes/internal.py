"""The routes for arenas, which present the arena's token.

They serve bundles, memories and records, and take claims, results and reports about walls. Knows
the messages of wire.py. A result is accepted only with the token of its attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from apiflask import APIBlueprint
from flask import Response, jsonify, request

from matchbox.errors import ArenaStopped, BadMessage
from matchbox.match import wire
from server import queries
from server.auth import arena_only, context
from server.queries import lessons
from server.routes.responses import bytes_response
from server.services import booking, job_kinds

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

MAX_BYTES: Final = 64 << 20
"""The largest body that an arena may send; long matches have long records."""

routes = APIBlueprint("internal", __name__, url_prefix="/internal", enable_openapi=False)


@routes.before_request
def let_arenas_in() -> None:
    """Refuses everybody but arenas, and allows their long bodies."""
    arena_only()
    request.max_content_length = MAX_BYTES


@routes.get("/bundles/<digest:digest>")
def bundle(digest: str) -> Response:
    """Returns the uploaded bytes with that digest."""
    with context().read() as session:
        data = queries.bundle(session, digest)
    return bytes_response(data)


@routes.get("/memories/<digest:digest>")
def memory(digest: str) -> Response:
    """Returns the memory with that digest."""
    with context().read() as session:
        data = lessons.memory(session, digest)
    return bytes_response(data)


@routes.get("/records/<match>")
def record(match: str) -> Response:
    """Returns the packed record of a match, for a lesson or a verification."""
    with context().read() as session:
        data = lessons.packed_record(session, match)
    return bytes_response(data)


@routes.post("/claims")
def claim() -> ResponseReturnValue:
    """Renews the lease of a job.

    409 if the job is over or was given to another arena, 423 if the arena is stopped.
    """
    message = wire.from_plain(wire.Claim, json_object())
    ctx = context()
    with ctx.write() as session:
        granted = job_kinds.claim(session, message, settings=ctx.settings, now=ctx.now())
    if not granted:
        raise ArenaStopped(f"arena {message.arena} is stopped until an operator lets it go on")
    return "", 204


@routes.post("/results")
def result() -> Response:
    """Accepts {"task", "message"}; returns whether it changed any row."""
    body = json_object()
    changed = booking.book(context(), str(body.get("task")), body.get("message"))
    return jsonify({"accepted": changed})


@routes.post("/walls")
def wall() -> ResponseReturnValue:
    """Stores an arena's report about its box, and renews the lease of its current job."""
    report = json_object()
    ctx = context()
    with ctx.write() as session:
        job_kinds.report(session, report, settings=ctx.settings, now=ctx.now())
    return "", 204


def json_object() -> dict[str, object]:
    """Returns the request's body. Raises BadMessage if it is not a JSON object."""
    body = request.get_json()
    if not isinstance(body, dict):
        raise BadMessage("the body is not a JSON object")
    return body
