"""The forms of an answer: whole lists, things just made, bodies that are not JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import jsonify

from matchbox.answers import Answer

if TYPE_CHECKING:
    from flask import Response


def answered(answer: Answer, status: int = 200) -> Response:
    """The answer as JSON."""
    response = jsonify(answer.plain())
    response.status_code = status
    return response


def made_at(location: str, made: Answer) -> Response:
    """A thing that has just been made, and its address."""
    response = answered(made, 201)
    response.headers["Location"] = location
    return response


def described(description: str, mimetype: str) -> Any:
    """The OpenAPI description of a 200 that is not JSON."""
    return {
        200: {"description": description, "content": {mimetype: {"schema": {"type": "string"}}}}
    }
