"""Gives every request an id, and writes a line for each to the log.

The id is the one that the request brings in the header X-Request-ID, if it is a plain word, or else
a new one. It is returned in the same header, shown on the pages of errors, and stands in every line
of the log that the request causes. A secret that is part of an address is never written.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import structlog
from flask import current_app, g, request
from werkzeug.exceptions import HTTPException

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask, Response

HEADER: Final = "X-Request-ID"
SECRETS: Final = ("secret", "code")
"""The names of the parts of an address that give access."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")

_OFTEN: Final = "remote.take"
"""The endpoint that an idle arena requests every second. Its line is logged only if there is a
job."""

log = structlog.get_logger("access")


def request_id() -> str:
    """Returns the id of this request."""
    if "request_id" not in g:
        given = request.headers.get(HEADER, "")
        g.request_id = given if _PLAIN.fullmatch(given) else uuid4().hex
    known: str = g.request_id
    return known


def shown_path() -> str:
    """Returns the path of this request, with its secrets replaced."""
    path = request.path
    for name, value in _parts().items():
        if name in SECRETS:
            path = path.replace(str(value), f"<{name}>")
    return path


def _parts() -> Mapping[str, object]:
    """Returns the named parts of the path, also if its method is wrong or it has too many
    slashes."""
    if request.url_rule is not None:
        return request.view_args or {}
    path = re.sub("/+", "/", request.path).rstrip("/")
    with suppress(HTTPException):
        adapter = current_app.create_url_adapter(request)
        if adapter is not None and (allowed := list(adapter.allowed_methods(path))):
            return adapter.match(path, allowed[0])[1]
    return {}


def log_requests(app: Flask, *, access: bool) -> None:
    """Gives every request of the app an id; with `access`, also writes a line for each."""
    app.context_processor(lambda: {"request_id": request_id})

    @app.before_request
    def begin() -> None:
        g.begun = time.perf_counter()
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=request_id())

    @app.after_request
    def end(response: Response) -> Response:
        response.headers[HEADER] = request_id()
        if access and not (request.endpoint == _OFTEN and response.status_code == 204):
            log.info(
                "request",
                method=request.method,
                path=shown_path(),
                status=response.status_code,
                bytes=response.content_length,
                ms=round(1000 * (time.perf_counter() - g.begun), 1) if "begun" in g else None,
                address=request.remote_addr,
            )
        return response
