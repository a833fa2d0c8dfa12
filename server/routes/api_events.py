"""Server-sent events. Each event names a change; the other routes return its details.

A stream occupies a thread of the web server, so the number of streams is limited, both in total and
for each client, and each stream ends after a while. A browser then reconnects by itself and misses
nothing, or is told that it did.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Final

from apiflask import APIBlueprint
from flask import Response, current_app, request

from matchbox.answers.platform import Event
from matchbox.whole_numbers import whole_number
from server import queries
from server.auth import context
from server.rate_limits import asker
from server.routes import schemas
from server.routes.responses import described
from server.scopes import Scope, needs
from server.streams import LIFE_S
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server.context import Context
    from server.streams import Streams

PAUSE_S: Final = 0.5
RESET: Final = "reset"
"""The kind of an event that is sent in place of others that are gone."""
MEDIA_TYPE: Final = "text/event-stream"

routes = APIBlueprint("events", __name__, url_prefix="/api/v1", tag="Events")


@routes.get("/events")
@needs(Scope.READ, public=True)
@routes.input(schemas.Since, location="query")
@routes.doc(responses=described("Server-sent events", MEDIA_TYPE))
def events(query_data: schemas.Since) -> Response:
    """Streams the changes from now on, or those after the event in `after` or Last-Event-ID."""
    ctx = context()
    last = whole_number(request.headers.get("Last-Event-ID", ""), 15)
    after = query_data.after if last is None else last
    streams: Streams = current_app.extensions["matchbox-streams"]
    close = streams.open(asker())
    response = Response(_stream(ctx, after), mimetype=MEDIA_TYPE)
    response.call_on_close(close)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _stream(ctx: Context, after: int | None) -> Iterator[str]:
    """Yields events as they come, and a heartbeat when there are none."""
    ends = time.monotonic() + LIFE_S
    with ctx.read() as session:
        newest = queries.last_event(session)
        missed = after is not None and queries.misses_events(session, after)
    # A client may know later events than the database, which was restored from a backup.
    seen = newest if after is None else min(after, newest)
    # A client that hears of no event before the stream ends can also go on from here.
    yield f"retry: 2000\nid: {seen}\n\n"
    if missed:
        yield _event(Event(id=seen, kind=RESET, subject="", at=iso(ctx.now())))
    while True:
        with ctx.read() as session:
            news = queries.events(session, seen)
        for event in news:
            seen = event.id
            yield _event(event)
        if not news:
            yield ": still here\n\n"
        if time.monotonic() >= ends:
            return
        time.sleep(PAUSE_S)


def _event(event: Event) -> str:
    return f"id: {event.id}\nevent: {event.kind}\ndata: {json.dumps(event.plain())}\n\n"
