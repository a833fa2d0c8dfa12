"""Completes the OpenAPI document, where the framework leaves something out.

Bodies are required, errors are problem documents, the parts of an address have their patterns,
and each operation lists every status that it may answer with.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any, Final

from flask import current_app

from server.problems import MEDIA_TYPE
from server.routes.addresses import SCHEMAS
from server.routes.responses import has_location
from server.scopes import ANYBODY, is_public, scope_of

PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "description": "RFC 9457 problem details",
    "required": ["type", "title", "status", "detail", "instance"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence: what happened, what to do."},
        "instance": {"type": "string"},
        "errors": {
            "type": "object",
            "description": "What was wrong with each field",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
        "retry_after": {
            "type": "integer",
            "description": "After how many seconds to send the request again; of 429 only.",
        },
    },
}
ALWAYS: Final = (400, 401, 422, 429, 503)
WITH_PATH: Final = (404,)
WRITING: Final = (403, 404, 409, 415)
WITH_BODY: Final = (413,)
WITH_UPLOAD: Final = (507,)
TOKENS: Final = (
    "A token has scopes: read, submit, operate. `x-scope` names the one that an operation needs; "
    "without it the answer is 403."
)
SESSION: Final = (
    "A browser that is logged in. Besides the cookie, every request but a GET needs the header "
    "`X-CSRFToken` with the value of the field `csrf_token` in the forms of this session's pages; "
    "without it the answer is 400."
)
SECURITY: Final[list[dict[str, list[str]]]] = [{"token": []}, {"session": []}]
RETRIED: Final = (429, 503)
RETRY_AFTER: Final[dict[str, Any]] = {
    "description": "After how many seconds to send the request again, if that is known.",
    "schema": {"type": "integer"},
}
LOCATION: Final[dict[str, Any]] = {
    "description": "The address of what was made.",
    "schema": {"type": "string"},
}
_PART: Final = re.compile(r"<(?:([a-z]+):)?([a-z_]+)>")


def complete_document(document: Any) -> Any:
    """Completes the document, and returns it."""
    components = document.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM
    cookie = current_app.config["SESSION_COOKIE_NAME"]
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": TOKENS},
        "session": {"type": "apiKey", "in": "cookie", "name": cookie, "description": SESSION},
    }
    components["responses"] = {str(status): _response(status) for status in _STATUSES}
    parts, views = _address_parts(), _views()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            endpoint, view = views[path, method]
            operation["x-scope"] = scope = scope_of(endpoint, view)
            operation["security"] = [
                *([{}] if is_public(endpoint, view) else []),
                *(SECURITY if scope != ANYBODY else []),
            ]
            if has_location(view):
                operation["responses"]["201"]["headers"] = {"Location": LOCATION}
            _complete_operation(operation, method, parts.get(path, {}))
    return document


def _complete_operation(
    operation: dict[str, Any], method: str, parts: dict[str, dict[str, Any]]
) -> None:
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            parameter["required"] = True
            parameter["schema"] = parts[parameter["name"]]
    if "requestBody" in operation:
        operation["requestBody"]["required"] = True
    responses = operation["responses"]
    named = [status for status in responses if status >= "400"]
    for status in (*named, *map(str, _statuses(operation, method))):
        responses[status] = {"$ref": f"#/components/responses/{status}"}


def _statuses(operation: dict[str, Any], method: str) -> list[int]:
    places = {parameter["in"] for parameter in operation["parameters"]}
    writing = method != "get"
    return [
        *ALWAYS,
        *(WITH_PATH if "path" in places else ()),
        *(WRITING if writing else (403,)),
        *(WITH_BODY if "requestBody" in operation else ()),
        *(WITH_UPLOAD if _takes_upload(operation) else ()),
    ]


def _takes_upload(operation: dict[str, Any]) -> bool:
    return "multipart/form-data" in operation.get("requestBody", {}).get("content", {})


def _response(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    found: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {MEDIA_TYPE: {"schema": schema}},
    }
    if status in RETRIED:
        found["headers"] = {"Retry-After": RETRY_AFTER}
    return found


def _address_parts() -> dict[str, dict[str, dict[str, Any]]]:
    """The schemas of the parts of each address. The keys are addresses as the document has them."""
    return {
        _PART.sub(r"{\2}", rule.rule): {
            name: SCHEMAS.get(kind, {"type": "string"}) for kind, name in _PART.findall(rule.rule)
        }
        for rule in current_app.url_map.iter_rules()
    }


def _views() -> dict[tuple[str, str], tuple[str, Any]]:
    """The endpoint and the view of each address and method. Addresses are spelled as in the
    document."""
    return {
        (_PART.sub(r"{\2}", rule.rule), method.lower()): (
            rule.endpoint,
            current_app.view_functions[rule.endpoint],
        )
        for rule in current_app.url_map.iter_rules()
        for method in rule.methods or ()
    }


_STATUSES: Final = sorted({*ALWAYS, *WITH_PATH, *WRITING, *WITH_BODY, *WITH_UPLOAD})
