"""The forms of an answer: whole lists, things just made, bodies that are not JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import jsonify

from matchbox.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Response


def answered(answer: Answer, status: int = 200) -> Response:
    """The answer as JSON."""
    response = jsonify(answer.plain())
    response.status_code = status
    return response


def whole_list(items: Sequence[Any]) -> Response:
    """A list that has one page."""
    return jsonify({"items": items, "next": None})


def made_at(location: str, row: Answer | dict[str, Any]) -> Response:
    """A thing that has just been made, and its address."""
    response = jsonify(row.plain() if isinstance(row, Answer) else row)
    response.status_code = 201
    response.headers["Location"] = location
    return response


def described(description: str, mimetype: str) -> Any:
    """The OpenAPI description of a 200 that is not JSON."""
    return {
        200: {"description": description, "content": {mimetype: {"schema": {"type": "string"}}}}
    }
