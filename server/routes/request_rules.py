"""The rules for every request under /api/, whatever its route: its query string and its body.

A route's own models check the fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apiflask import HTTPError
from flask import current_app, request
from werkzeug.exceptions import UnsupportedMediaType

from server.input_errors import NO_OBJECT, REPEATED, UNKNOWN
from server.routes.upload_body import UPLOAD_TYPES, UPLOADS

if TYPE_CHECKING:
    from flask import Flask


def check_requests(app: Flask) -> None:
    """Refuses unknown and repeated parameters, and bodies that are not what the API takes."""

    @app.before_request
    def check_request() -> None:
        """Raises HTTPError 422, which names what is wrong, or UnsupportedMediaType."""
        if request.path.startswith("/api/") and request.endpoint is not None:
            described = getattr(current_app.view_functions[request.endpoint], "_spec", {})
            _check_query(described)
            _check_type()
            _check_body(described)


def _check_query(described: dict[str, Any]) -> None:
    """A route's model finds unknown parameters itself; a route without one takes none."""
    has_model = any(place == "query" for _, place in described.get("args", ()))
    wrong = {} if has_model else {name: [UNKNOWN] for name in request.args}
    for name, values in request.args.lists():
        if len(values) > 1:
            wrong[name] = [REPEATED]
    if wrong:
        raise HTTPError(422, detail={"query": wrong})


def _check_type() -> None:
    """Refuses a body that is neither JSON nor, for uploads, a form.

    A page of another site can have its visitors' browsers send any other type without asking. A
    request without a body needs no type.
    """
    if not request.content_length or request.is_json:
        return
    if request.endpoint not in UPLOADS:
        raise UnsupportedMediaType("send the body as application/json")
    if request.mimetype != "multipart/form-data":
        raise UnsupportedMediaType(UPLOAD_TYPES)


def _check_body(described: dict[str, Any]) -> None:
    """Refuses null, which the framework would take as an object without fields.

    Parses nothing, and leaves what is too long to the route: some count what cannot be read.
    """
    if "body" not in described or not request.is_json:
        return
    too_long = (request.content_length or 0) > current_app.config["MAX_CONTENT_LENGTH"]
    if not too_long and request.get_data().strip() == b"null":
        raise HTTPError(422, detail={"json": {"body": [NO_OBJECT]}})
