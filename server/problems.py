"""Turns every error into an answer: problem details (RFC 9457) for programs, a page for people.

Knows the status of each error and the texts that may be shown; does not know where errors are
raised.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from apiflask import HTTPError
from flask import Response, current_app, g, jsonify, make_response, render_template, request
from flask_login import current_user
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import BadHost, BadRequest, HTTPException, RequestEntityTooLarge

from matchbox import errors
from server.input_errors import in_our_words
from server.routes.upload_body import UPLOADS

if TYPE_CHECKING:
    from collections.abc import Collection

    from flask import Flask

STATUS: Final[dict[type[errors.MatchboxError], int]] = {
    errors.Conflict: 409,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.TooMany: 429,
    errors.UnknownGame: 404,
    errors.UploadsClosed: 403,
    errors.CallerFault: 422,
    errors.ArenaOutdated: 426,
    errors.ArenaStopped: 423,
    errors.DiskFull: 507,
    errors.Unavailable: 503,
}
"""The HTTP status of errors. A class that is not here has the status of its next base class."""
FOR_PROGRAMS: Final = ("/api/", "/internal/", "/remote/", "/healthz", "/readyz", "/metrics")
MEDIA_TYPE: Final = "application/problem+json"
MAX_ERRORS: Final = 20
"""The most errors in a body or a query that an answer names."""
MAX_ERROR: Final = 200
"""The most characters of the name of a field, and of what is wrong with it."""
AGAIN: Final = "matchbox_again"
"""The attribute of a form's view that shows the form again, from (error, status, parts)."""


class LoginNeeded(errors.Forbidden):
    """The request needs an account, but came without one, or its login has just ended."""

    def __init__(self, text: str = "") -> None:
        if for_programs():
            super().__init__(text or _FOR_PROGRAM)
        else:
            asks = request.method in ("GET", "HEAD")
            super().__init__(text or ("log in to see this" if asks else _FOR_PERSON))


class ScopeNeeded(errors.Forbidden):
    """The request's token lacks the scope that the request needs."""

    def __init__(self, scope: str, held: Collection[str]) -> None:
        super().__init__(
            f"this needs a token with the scope `{scope}`, and yours has "
            f"{' and '.join(f'`{one}`' for one in sorted(held))}; make one on your account's page"
        )
        self.scope = scope


def status_of(error: errors.MatchboxError) -> int:
    """Returns the HTTP status of the error; 500 for one that no route should let through."""
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return 500


def for_programs() -> bool:
    """True if a program reads the answer: at certain paths, and always in an app without pages."""
    return "pages" not in current_app.blueprints or request.path.startswith(FOR_PROGRAMS)


def problem(status: int, detail: str, *, kind: str = "", **extra: Any) -> Response:
    """Returns a problem document. `kind` is the error's class; `extra` holds further members."""
    title = HTTPStatus(status).phrase
    document = {
        "type": f"urn:matchbox:problem:{_kebab(kind)}" if kind else "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": request.path,
        **extra,
    }
    response = jsonify(document)
    response.status_code = status
    response.mimetype = MEDIA_TYPE
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def answer(status: int, detail: str, *, kind: str = "", **extra: Any) -> Response:
    """Returns the error as a problem document for a program, or as a page for a person."""
    if for_programs():
        return problem(status, detail, kind=kind, **extra)
    title = HTTPStatus(status).phrase
    try:
        page = render_template("error.html", status=status, title=title, detail=detail)
    except (errors.MatchboxError, SQLAlchemyError):  # every page reads an account
        return Response(f"{title}: {detail}\n", status, mimetype="text/plain")
    return make_response(page, status)


def register_error_handlers(app: Flask) -> None:
    """Registers the answers to every kind of error."""
    app.register_error_handler(errors.MatchboxError, _answer_matchbox_error)
    app.register_error_handler(HTTPError, _answer_bad_input)
    app.register_error_handler(HTTPException, _answer_http_error)
    app.register_error_handler(RequestEntityTooLarge, _answer_too_large)


def _answer_matchbox_error(error: errors.MatchboxError) -> Response:
    status = status_of(error)
    if status == 500:
        raise error
    if isinstance(error, errors.Forbidden) and _login_helps(error):
        status = 401
    wait = note_wait(error)
    extra = {} if wait is None else {"retry_after": wait}
    response = answer(status, text_of(error), kind=type(error).__name__, **extra)
    if isinstance(error, ScopeNeeded):  # as RFC 6750 asks
        response.headers["WWW-Authenticate"] = (
            f'Bearer error="insufficient_scope", scope="{error.scope}"'
        )
    return response


def text_of(error: errors.MatchboxError) -> str:
    """Returns the text of an error for the answer.

    What fails after a change was stored, such as reading the answer to it, did not undo the
    change, whatever the error says.
    """
    return _CHANGED if _came_after_change(error) else str(error)


def note_wait(error: errors.MatchboxError) -> int | None:
    """Returns the seconds after which the request may be tried again, if the error names some.

    Keeps them for the header Retry-After, which server/rate_limits.py sets.
    """
    if _came_after_change(error):
        g.wait_s = None
    elif isinstance(error, errors.Unavailable) and error.wait_s is not None:
        g.wait_s = error.wait_s
    if not isinstance(error, errors.TooMany):
        return None
    g.wait_s = error.wait_s
    return error.wait_s


def _came_after_change(error: errors.MatchboxError) -> bool:
    return isinstance(error, errors.Unavailable) and g.get("changed", False)


def _login_helps(error: errors.Forbidden) -> bool:
    """Whether the request might be met if it came from an account or an arena, and does not."""
    known = current_user.is_authenticated or "arena" in g
    return isinstance(error, LoginNeeded) or not (known or error.to_all)


def _answer_bad_input(error: HTTPError) -> Response:
    """Answers with the first errors that pydantic found, by field.

    With all of them, a body of some KB could make an answer of megabytes.
    """
    found = [
        ("body" if name == "_schema" else _short(name), _short(in_our_words(reason)))
        for part in (error.detail or {}).values()
        for name, reasons in part.items()
        for reason in reasons
    ]
    fields: dict[str, list[str]] = {}
    for name, reason in found[:MAX_ERRORS]:
        fields.setdefault(name, []).append(reason)
    sentences = "; ".join(f"`{name}` {' and '.join(reasons)}" for name, reasons in fields.items())
    if len(found) > MAX_ERRORS:
        sentences += f"; and {len(found) - MAX_ERRORS} more"
    return answer(error.status_code, sentences or str(error.message), kind="BadInput",
                  errors=fields)  # fmt: skip


def _short(text: str) -> str:
    return text if len(text) <= MAX_ERROR else text[: MAX_ERROR - 1] + "…"


def _answer_http_error(error: HTTPException) -> Response:
    status = error.code or 500
    if status < 400:
        return error.get_response()  # type: ignore[return-value]
    if isinstance(error, BadHost):  # A page could not make its links.
        return Response("Bad Request: its Host is not a name\n", status, mimetype="text/plain")
    description = error.description
    if status == 400 and description == BadRequest.description:
        description = _UNREADABLE
    limited = status == 429 and g.get("wait_s") is not None
    extra = {"retry_after": g.wait_s} if limited else {}
    response = answer(status, _DETAILS.get(status) or description or error.name, **extra)
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After"):
            response.headers[name] = value
    return response


def _answer_too_large(error: RequestEntityTooLarge) -> Response:
    if (request.content_length or 0) <= current_app.config["MAX_CONTENT_LENGTH"]:
        most = current_app.config["MAX_FORM_PARTS"]
        return answer(413, f"the form has more than {most} parts", kind="TooLarge")
    detail = "the request is longer than 1 MiB"
    if not request.is_json or request.endpoint in UPLOADS:
        detail += "; a single file may have 64 KiB, a zip 1 MiB"
    return answer(413, detail, kind="TooLarge")


_FOR_PROGRAM: Final = "log in first, or send a token as `Authorization: Bearer`"
_FOR_PERSON: Final = (
    "you are not logged in, or your session has ended, so nothing was done; log in, then go back "
    "to the page and send its form again"
)
_CHANGED: Final = (
    "this was done, or a part of it, but the answer cannot be given now; look at what is there "
    "before you send it again"
)
_UNREADABLE: Final = "the body is not JSON: send what /api/v1/openapi.json has for this address"
_DETAILS: Final = {
    404: "there is nothing at this address",
    429: "too many requests from you or your network; wait a minute and try again",
    500: "something broke on our side, and it has been logged; try again later",
}


def _kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
