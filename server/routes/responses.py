"""Builds responses: answers as JSON, newly made objects, and bodies that are not JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from flask import Response, jsonify

from matchbox.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    View = TypeVar("View", bound=Callable[..., Any])

BYTES: Final = "application/octet-stream"
_LOCATION: Final = "matchbox_location"


def answered(answer: Answer, status: int = 200) -> Response:
    """Returns the answer as a JSON response."""
    response = jsonify(answer.plain())
    response.status_code = status
    return response


def made_at(location: str, made: Answer) -> Response:
    """Returns a 201 response with a new object and its address."""
    response = answered(made, 201)
    response.headers["Location"] = location
    return response


def gives_location(view: View) -> View:
    """Marks a view whose 201 response has the header Location, as that of `made_at` has."""
    setattr(view, _LOCATION, True)
    return view


def has_location(view: object) -> bool:
    """Returns whether the view is marked with `gives_location`."""
    return getattr(view, _LOCATION, False)


def described(description: str, mimetype: str) -> Any:
    """Returns the OpenAPI description of a 200 response that is not JSON."""
    return {
        200: {"description": description, "content": {mimetype: {"schema": {"type": "string"}}}}
    }


def bytes_response(data: bytes, name: str = "") -> Response:
    """Returns a 200 response with these bytes, which a browser saves under the name if given."""
    response = Response(data, mimetype=BYTES)
    if name:
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
